import type { KeyboardEvent } from 'react';

/**
 * Key code that Safari reports for a key that an input method takes: there the composition has ended when its Enter is
 * reported.
 */
const TAKEN_BY_INPUT_METHOD = 229;

/** Returns whether a key belongs to an input method, as the Enter that confirms 漢字 does. */
export function isComposing({ nativeEvent, keyCode }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || keyCode === TAKEN_BY_INPUT_METHOD;
}
