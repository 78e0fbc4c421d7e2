export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export const MOST_IMAGES = 4;
export const MOST_IMAGE_BYTES = 5 * 1024 * 1024;

export type Refusal = 'notAnImage' | 'imageTooLarge' | 'tooManyImages';

/** Which files may be attached beside those already there, and why the first of the others may not. */
export function pickImages(
  files: readonly File[],
  attached: number,
): { accepted: File[]; refusal: Refusal | undefined } {
  let refusal: Refusal | undefined;
  const accepted: File[] = [];
  for (const file of files) {
    const reason = refusalOf(file, attached + accepted.length);
    if (reason === undefined) accepted.push(file);
    else refusal ??= reason;
  }
  return { accepted, refusal };
}

function refusalOf(file: File, attached: number): Refusal | undefined {
  if (!imageTypes.some((type) => type === file.type)) return 'notAnImage';
  if (file.size > MOST_IMAGE_BYTES) return 'imageTooLarge';
  return attached >= MOST_IMAGES ? 'tooManyImages' : undefined;
}
