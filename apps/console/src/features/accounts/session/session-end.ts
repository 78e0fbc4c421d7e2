import { createSwitch } from '../../../ui/actions/switch-store.ts';

/** The session is over, and what was typed waits for the next one. */
export const { isOn: waitsForSignIn, turn: waitForSignIn, useIsOn: useWaitsForSignIn } = createSwitch();
