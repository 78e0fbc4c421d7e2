/** Side in pixels, at least twice the size at which the console shows an avatar. */
export const AVATAR_SIZE = 128;

/** Returns the largest centered square of an image. */
export function centerSquare({ width, height }: { width: number; height: number }) {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, side };
}

/** Draws the center of a picture on white, so that transparent parts look the same in both colour schemes. */
export function drawSquare(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return;
  const { x, y, side } = centerSquare(picture);
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, AVATAR_SIZE, AVATAR_SIZE);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, x, y, side, side, 0, 0, AVATAR_SIZE, AVATAR_SIZE);
}

/** Returns the canvas as a PNG in base64. */
export function toPng(canvas: HTMLCanvasElement): string {
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}
