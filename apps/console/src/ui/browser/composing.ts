import type { KeyboardEvent } from 'react';

/** What Safari calls a key that an input method takes: there the composition has ended when its Enter is told. */
const TAKEN_BY_INPUT_METHOD = 229;

/** Whether a key belongs to an input method, as the Enter that takes over 漢字 does. */
export function isComposing({ nativeEvent, keyCode }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || keyCode === TAKEN_BY_INPUT_METHOD;
}
