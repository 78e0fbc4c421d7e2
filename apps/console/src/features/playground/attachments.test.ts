import { expect, it } from 'vitest';
import { MOST_IMAGE_BYTES, MOST_IMAGES, pickImages } from './attachments.ts';

const file = (type: string, size = 10) => new File([new Uint8Array(size)], 'a', { type });

it('takes pictures that fit and says why the first of the others does not', () => {
  const good = file('image/png');
  const large = file('image/jpeg', MOST_IMAGE_BYTES + 1);
  expect(pickImages([large, good, file('image/svg+xml')], 0)).toEqual({
    accepted: [good],
    refusal: 'imageTooLarge',
  });
  expect(pickImages([file('text/plain')], 0).refusal).toBe('notAnImage');
});

it('never has more pictures than a question may carry', () => {
  const { accepted, refusal } = pickImages([file('image/png'), file('image/png')], MOST_IMAGES - 1);
  expect(accepted).toHaveLength(1);
  expect(refusal).toBe('tooManyImages');
});
