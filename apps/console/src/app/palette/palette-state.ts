import { createSwitch } from '../../ui/switch-store.ts';

export const { turn: openPalette, useIsOn: usePaletteOpen } = createSwitch();
