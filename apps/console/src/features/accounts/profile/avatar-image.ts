/** Pixels, of each side; what the console shows is at most half of it. */
export const AVATAR_SIZE = 128;

/** The largest square in the middle. */
export function centerSquare({ width, height }: { width: number; height: number }) {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, side };
}

/** Draws the middle of a picture; what is transparent becomes white, so that it looks the same in both schemes. */
export function drawSquare(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return;
  const { x, y, side } = centerSquare(picture);
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, AVATAR_SIZE, AVATAR_SIZE);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, x, y, side, side, 0, 0, AVATAR_SIZE, AVATAR_SIZE);
}

/** A PNG as base64. */
export function toPng(canvas: HTMLCanvasElement): string {
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}
