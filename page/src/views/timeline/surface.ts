// SPDX-License-Identifier: Apache-2.0
// What a time line is drawn onto: the canvas of the page, or the text of an SVG file.
import { fontFamily } from "../../text";
import { escaped } from "../figure_file";

export interface TextLook {
  colour: string;
  size: number;
  align?: "left" | "center" | "right";
}

export interface Stroke {
  colour: string;
  width: number;
  opacity?: number;
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Shapes come as lists of numbers, many in one call: x, y, width, height; or x1, y1, x2, y2. */
export interface Surface {
  rects(list: number[], colour: string, opacity?: number): void;
  frame(box: Rectangle, stroke: Stroke): void;
  lines(list: number[], stroke: Stroke): void;
  triangles(list: number[], colour: string): void;
  text(x: number, y: number, text: string, look: TextLook): void;
  /** Draws only within a box. */
  within(box: Rectangle, draw: () => void): void;
}

export class CanvasSurface implements Surface {
  constructor(private readonly pen: CanvasRenderingContext2D) {}

  rects(list: number[], colour: string, opacity = 1): void {
    this.pen.fillStyle = colour;
    this.pen.globalAlpha = opacity;
    for (let i = 0; i < list.length; i += 4)
      this.pen.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
    this.pen.globalAlpha = 1;
  }

  frame({ x, y, width, height }: Rectangle, stroke: Stroke): void {
    this.pen.strokeStyle = stroke.colour;
    this.pen.lineWidth = stroke.width;
    this.pen.strokeRect(x, y, width, height);
  }

  lines(list: number[], stroke: Stroke): void {
    const { pen } = this;
    pen.strokeStyle = stroke.colour;
    pen.lineWidth = stroke.width;
    pen.globalAlpha = stroke.opacity ?? 1;
    pen.lineCap = "round";
    pen.beginPath();
    for (let i = 0; i < list.length; i += 4) {
      pen.moveTo(list[i], list[i + 1]);
      pen.lineTo(list[i + 2], list[i + 3]);
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  triangles(list: number[], colour: string): void {
    const { pen } = this;
    pen.fillStyle = colour;
    pen.beginPath();
    for (let i = 0; i < list.length; i += 6) {
      pen.moveTo(list[i], list[i + 1]);
      pen.lineTo(list[i + 2], list[i + 3]);
      pen.lineTo(list[i + 4], list[i + 5]);
      pen.closePath();
    }
    pen.fill();
  }

  text(x: number, y: number, text: string, look: TextLook): void {
    this.pen.fillStyle = look.colour;
    this.pen.font = `${look.size}px ${fontFamily}`;
    this.pen.textAlign = look.align ?? "left";
    this.pen.textBaseline = "middle";
    this.pen.fillText(text, x, y);
  }

  within({ x, y, width, height }: Rectangle, draw: () => void): void {
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(x, y, width, height);
    this.pen.clip();
    draw();
    this.pen.restore();
  }
}

/** Pixels, with as many digits as can be seen. */
const px = (value: number) => String(Math.round(value * 100) / 100);

/** Ids are unique in the page, which may hold several pictures. */
let clips = 0;

export class SvgSurface implements Surface {
  private readonly parts: string[] = [];

  rects(list: number[], colour: string, opacity = 1): void {
    const path: string[] = [];
    for (let i = 0; i < list.length; i += 4)
      path.push(
        `M${px(list[i])} ${px(list[i + 1])}h${px(list[i + 2])}v${px(list[i + 3])}h${px(-list[i + 2])}z`,
      );
    const faint = opacity === 1 ? "" : ` fill-opacity="${opacity}"`;
    if (path.length > 0) this.parts.push(`<path d="${path.join("")}" fill="${escaped(colour)}"${faint}/>`);
  }

  frame({ x, y, width, height }: Rectangle, stroke: Stroke): void {
    const box = `x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}"`;
    this.parts.push(
      `<rect ${box} fill="none" stroke="${escaped(stroke.colour)}" stroke-width="${stroke.width}"/>`,
    );
  }

  lines(list: number[], stroke: Stroke): void {
    const path: string[] = [];
    for (let i = 0; i < list.length; i += 4)
      path.push(`M${px(list[i])} ${px(list[i + 1])}L${px(list[i + 2])} ${px(list[i + 3])}`);
    if (path.length === 0) return;
    const { width, opacity } = { opacity: 1, ...stroke };
    const look = `stroke="${escaped(stroke.colour)}" stroke-width="${width}" stroke-opacity="${opacity}"`;
    this.parts.push(`<path d="${path.join("")}" fill="none" stroke-linecap="round" ${look}/>`);
  }

  triangles(list: number[], colour: string): void {
    const path: string[] = [];
    for (let i = 0; i < list.length; i += 6)
      path.push(
        `M${list
          .slice(i, i + 6)
          .map(px)
          .join(" ")}z`,
      );
    if (path.length > 0) this.parts.push(`<path d="${path.join("")}" fill="${escaped(colour)}"/>`);
  }

  text(x: number, y: number, text: string, look: TextLook): void {
    const anchor = { left: "start", center: "middle", right: "end" }[look.align ?? "left"];
    const place = `x="${px(x)}" y="${px(y)}" font-size="${look.size}" text-anchor="${anchor}"`;
    this.parts.push(
      `<text ${place} dominant-baseline="central" fill="${escaped(look.colour)}">${escaped(text)}</text>`,
    );
  }

  within({ x, y, width, height }: Rectangle, draw: () => void): void {
    const id = `clip${++clips}`;
    const box = `x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}"`;
    this.parts.push(`<clipPath id="${id}"><rect ${box}/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.parts.push("</g>");
  }

  /** All elements that were drawn. */
  get drawn(): string {
    return this.parts.join("\n");
  }
}
