/* What all canvases of the page do. */

/** A function that has it done before the next frame is shown, once, however often it was asked for. */
function beforeFrame(act) {
  let isAsked = false;
  return () => {
    if (!isAsked) {
      isAsked = true;
      requestAnimationFrame(() => {
        isAsked = false;
        act();
      });
    }
  };
}

/** What draws on a canvas: again whenever the box around it has another size. */
class Drawing {
  /** @param {any} canvas @param {Element} box @param {any} page */
  constructor(canvas, box, page) {
    this.canvas = canvas;
    this.page = page;
    this.context = canvas.getContext("2d");
    this.redraw = beforeFrame(() => this.draw());
    new ResizeObserver(() => this.redraw()).observe(box);
  }

  draw() {}
}

/** Slanted lines over a box, in the context's stroke: colour alone says nothing to some. */
function drawHatch(context, x, y, width, height, step) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.beginPath();
  for (let at = x - height; at < x + width; at += step) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

/** As many dots as the screen has, in CSS pixels from then on. Returns dots a CSS pixel.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function fitCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [dots, lines] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== dots || canvas.height !== lines) {
    canvas.width = dots;
    canvas.height = lines;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  return ratio;
}
