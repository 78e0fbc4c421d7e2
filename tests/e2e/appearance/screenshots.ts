/** Small screenshots and their differences, both computed in a browser, which can decode and draw them. */
import type { Browser, Page } from 'playwright-core';

/** A WebP file as a data URL. */
export type Screenshot = string;

export interface ScreenPosition {
  /** Size of the screen in CSS pixels. */
  x: number;
  y: number;
}

export interface Comparison {
  /** Cells whose mean colour differs; all of them if the sizes differ. */
  differences: ScreenPosition[];
  cells: number;
}

export interface ComparisonOptions {
  /** Width and height of a cell, in pixels of the picture. */
  cell: number;
  /** Tolerated difference of the mean red, green or blue, of 255. */
  tolerance: number;
}

export interface Screenshots {
  /** @param scale ratio of the picture to the screen */
  take(of: Page, scale: number): Promise<Screenshot>;
  compare(kept: Screenshot, fresh: Screenshot, eye: ComparisonOptions, scale: number): Promise<Comparison>;
}

/** Sufficient to distinguish icons. */
const QUALITY = 0.75;

export async function createScreenshots(browser: Browser): Promise<Screenshots> {
  const studio = await browser.newPage();
  return {
    async take(of, scale) {
      const full = await of.screenshot({ animations: 'disabled', caret: 'hide' });
      return await studio.evaluate(scaleDown, {
        source: `data:image/png;base64,${full.toString('base64')}`,
        scale,
        quality: QUALITY,
      });
    },
    async compare(kept, fresh, { cell, tolerance }, scale) {
      const { places, cells } = await studio.evaluate(findDifferences, { kept, fresh, cell, tolerance });
      const onScreen = (pixels: number) => Math.round(pixels / scale);
      return { cells, differences: places.map(({ x, y }) => ({ x: onScreen(x), y: onScreen(y) })) };
    },
  };
}

/** Runs in the browser. */
async function scaleDown(given: { source: string; scale: number; quality: number }): Promise<string> {
  const image = new Image();
  image.src = given.source;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width * given.scale);
  canvas.height = Math.round(image.height * given.scale);
  const drawing = canvas.getContext('2d');
  if (drawing === null) throw new Error('This browser draws nothing');
  drawing.imageSmoothingQuality = 'high';
  drawing.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/webp', given.quality);
}

/** Runs in the browser. */
async function findDifferences(given: {
  kept: string;
  fresh: string;
  cell: number;
  tolerance: number;
}): Promise<{ places: { x: number; y: number }[]; cells: number }> {
  const { cell, tolerance } = given;
  const read = async (source: string) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    // Scaled to one pixel per cell, each pixel would be a weighted mean of its neighbours too.
    canvas.width = image.width;
    canvas.height = image.height;
    const drawing = canvas.getContext('2d');
    if (drawing === null) throw new Error('This browser draws nothing');
    drawing.drawImage(image, 0, 0);
    return drawing.getImageData(0, 0, image.width, image.height);
  };
  const [kept, fresh] = await Promise.all([read(given.kept), read(given.fresh)]);
  const sameSize = kept.width === fresh.width && kept.height === fresh.height;
  const differs = (left: number, top: number): boolean => {
    const sums = [0, 0, 0];
    let pixels = 0;
    for (let y = top; y < Math.min(top + cell, kept.height); y += 1) {
      for (let x = left; x < Math.min(left + cell, kept.width); x += 1) {
        const at = (y * kept.width + x) * 4;
        for (let colour = 0; colour < 3; colour += 1)
          sums[colour] = (sums[colour] ?? 0) + (fresh.data[at + colour] ?? 0) - (kept.data[at + colour] ?? 0);
        pixels += 1;
      }
    }
    return sums.some((sum) => Math.abs(sum) / pixels > tolerance);
  };
  const places: { x: number; y: number }[] = [];
  let cells = 0;
  for (let y = 0; y < kept.height; y += cell) {
    for (let x = 0; x < kept.width; x += cell) {
      cells += 1;
      if (!sameSize || differs(x, y)) places.push({ x, y });
    }
  }
  return { places, cells };
}
