import { apiKeyPaletteSource } from '../../features/api-keys/queries.ts';
import type { PaletteSource } from '../../ui/palette-result.ts';

/** Where the palette looks besides the list of screens. */
export const paletteSources: readonly PaletteSource[] = [apiKeyPaletteSource];
