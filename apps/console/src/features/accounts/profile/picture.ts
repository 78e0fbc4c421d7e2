/** Pixels, of each side; what the console shows is at most half of it. */
export const PICTURE_SIZE = 128;

/** The largest square in the middle. */
export function middleSquare({ width, height }: { width: number; height: number }) {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, side };
}

/** Draws the middle of a picture; what is transparent becomes white, so that it looks the same in both schemes. */
export function drawSquare(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return;
  const { x, y, side } = middleSquare(picture);
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, PICTURE_SIZE, PICTURE_SIZE);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, x, y, side, side, 0, 0, PICTURE_SIZE, PICTURE_SIZE);
}

/** A PNG as base64. */
export function pngOf(canvas: HTMLCanvasElement): string {
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}
