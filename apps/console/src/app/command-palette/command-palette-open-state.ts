import { createBooleanStore } from '../../ui/actions/boolean-store.ts';

export const { turn: openPalette, useIsOn: usePaletteOpen } = createBooleanStore();
