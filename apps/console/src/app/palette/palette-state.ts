import { createSwitch } from '../../ui/actions/switch-store.ts';

export const { turn: openPalette, useIsOn: usePaletteOpen } = createSwitch();
