import { createSwitch } from '../../../ui/actions/switch-store.ts';

/** Switch that is on while the session has ended and unsaved input waits for the next sign-in. */
export const { isOn: waitsForSignIn, turn: waitForSignIn, useIsOn: useWaitsForSignIn } = createSwitch();
