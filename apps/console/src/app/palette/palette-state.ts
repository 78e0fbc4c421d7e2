import { createSwitch } from '../../ui/actions/boolean-store.ts';

export const { turn: openPalette, useIsOn: usePaletteOpen } = createSwitch();
