// SPDX-License-Identifier: Apache-2.0
// The proof of a routing in words: its verdict, the order of a certificate, or a dependency cycle step by step.
import { make } from "../../../elements";
import type { Proof, ProofWait } from "../../../data";
import { formatNumber } from "../../../number";
import { isCommand } from "../../input";
import type { Model } from "../model";
import { facts, paragraph, row, table } from "./tables";
import type { Panel } from "./tabs";
import { counted } from "../words";

const rowsAtOnce = 200;
const verdicts = {
  free: { words: "free of deadlocks", colour: "good" },
  deadlock: { words: "can deadlock", colour: "bad" },
  unknown: { words: "not known", colour: "warning" },
};

export function proofPanel(model: Model): Panel {
  const element = make("div");
  let shown: Proof | undefined; // is not drawn again while steps of its cycle are chosen
  return {
    id: "proof",
    title: "Proof",
    element,
    exists: () => model.routing()?.proof !== undefined,
    update: () => {
      const proof = model.routing()!.proof!;
      if (shown !== proof) element.replaceChildren(...proofText(model, proof));
      shown = proof;
      const { selection } = model.choice;
      markStep(element, selection.form === "cycle" ? selection.step : -1);
    },
  };
}

function proofText(model: Model, proof: Proof): HTMLElement[] {
  const verdict = verdicts[proof.verdict];
  return [
    make(
      "p",
      { class: `verdict ${verdict.colour}`, "data-test": "verdict", "data-verdict": proof.verdict },
      make("strong", {}, verdict.words),
    ),
    paragraph(proof.summary),
    facts([
      ["routing", model.routing()!.engine],
      ["lanes", String(model.routing()!.lanes)],
      ["channels with lanes", formatNumber(proof.channels)],
      ["dependencies", formatNumber(proof.dependencies)],
    ]),
    make("ol", { class: "words" }, ...proof.words.map((word) => make("li", {}, word))),
    ...(proof.cycle === undefined ? [] : cycleText(model, proof.cycle)),
    ...(proof.order === undefined ? [] : orderText(model, proof.order)),
  ];
}

// --- a cycle -----------------------------------------------------------------------------------------

function cycleText(model: Model, cycle: ProofWait[]): HTMLElement[] {
  const now = () => (model.choice.selection.form === "cycle" ? model.choice.selection.step : -1);
  const go = (step: number) => model.select({ form: "cycle", step: (step + cycle.length) % cycle.length });
  const next = () => go(now() + 1);
  const previous = () => go(now() < 0 ? -1 : now() - 1);
  const list = make("ol", { class: "cycle", "data-test": "cycle" });
  cycle.forEach((wait, step) => list.append(make("li", {}, waitButton(model, wait, step, () => go(step)))));
  const box = make(
    "div",
    {},
    make("h3", {}, `The cycle: ${counted(cycle.length, "wait")}`),
    make(
      "div",
      { class: "controls steps" },
      make("button", { type: "button", onclick: previous, "data-test": "cycle-previous" }, "◂ previous"),
      make("button", { type: "button", onclick: next, "data-test": "cycle-next" }, "next ▸"),
    ),
    list,
  );
  box.addEventListener("keydown", (event) => {
    const forwards = event.key === "ArrowDown" || event.key === "ArrowRight";
    if (isCommand(event)) return;
    if (!forwards && event.key !== "ArrowUp" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    if (forwards) next();
    else previous();
    if (list.contains(document.activeElement)) list.querySelectorAll("button")[now()].focus();
  });
  return [box];
}

function waitButton(model: Model, wait: ProofWait, step: number, pressed: () => void): HTMLElement {
  const { topology } = model;
  const holder =
    wait.group !== undefined
      ? `group ${wait.group}`
      : wait.from !== undefined && wait.to !== undefined
        ? `${topology.hostName(wait.from)} → ${topology.hostName(wait.to)}`
        : "";
  const attributes = { class: "wait", "aria-pressed": "false", "data-test": "cycle-step", "data-step": step };
  return make(
    "button",
    { type: "button", ...attributes, onclick: pressed },
    make("span", { class: "channel" }, `${topology.channelName(wait.channel)}, lane ${wait.lane}`),
    holder === "" ? null : make("span", { class: "holder" }, holder),
    make("span", { class: "text" }, wait.text),
  );
}

function markStep(element: HTMLElement, chosen: number): void {
  element.querySelectorAll<HTMLElement>(".wait").forEach((button, step) => {
    button.setAttribute("aria-pressed", String(step === chosen));
    if (step === chosen) button.scrollIntoView({ block: "nearest" });
  });
}

// --- a certificate -----------------------------------------------------------------------------------

function orderText(model: Model, order: NonNullable<Proof["order"]>): HTMLElement[] {
  const heads = ["number", "channel", "lane"];
  const box = table(heads, [], "certificate");
  box.classList.add("long");
  const body = box.querySelector("tbody")!;
  const more = make("button", { type: "button", "data-test": "certificate-more" });
  const add = () => {
    const first = body.childElementCount;
    const last = Math.min(order.channel.length, first + rowsAtOnce);
    for (let i = first; i < last; ++i)
      body.append(row([i + 1, model.topology.channelName(order.channel[i]), order.lane[i]]));
    more.hidden = last === order.channel.length;
    more.textContent = `${Math.min(rowsAtOnce, order.channel.length - last)} more of ${order.channel.length}`;
  };
  more.addEventListener("click", add);
  add();
  return [
    make("h3", {}, "The certificate"),
    paragraph("Channels in an order that every dependency increases: no wait leads back to its beginning.", "hint"),
    box,
    more,
  ];
}
