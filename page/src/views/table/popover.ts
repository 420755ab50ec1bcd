// SPDX-License-Identifier: Apache-2.0
// Boxes that open below a button and close by Escape or a click elsewhere.

/** Below its button, within the window. */
export function placeBelow(box: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const left = Math.max(4, Math.min(at.left, innerWidth - box.offsetWidth - 4));
  const top = Math.max(4, Math.min(at.bottom + 4, innerHeight - box.offsetHeight - 4));
  box.style.cssText = `left:${left}px;top:${top}px`;
}
