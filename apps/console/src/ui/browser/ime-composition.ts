import type { KeyboardEvent } from 'react';

/** Key code in Safari for an input method's key; there the composition has ended before its Enter. */
const TAKEN_BY_INPUT_METHOD = 229;

/** Returns whether a key belongs to an input method, such as the Enter that confirms 漢字. */
export function isComposing({ nativeEvent, keyCode }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || keyCode === TAKEN_BY_INPUT_METHOD;
}
