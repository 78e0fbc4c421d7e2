import { createSwitch } from '../../ui/controls/switch-store.ts';

export const { turn: openPalette, useIsOn: usePaletteOpen } = createSwitch();
