import { apiKeyPaletteSource } from '../../features/api-keys/queries.ts';
import { channelPaletteSource } from '../../features/channels/queries.ts';
import { modelPaletteSource } from '../../features/models/queries.ts';
import { recordPaletteSource } from '../../features/usage-records/queries.ts';
import { userPaletteSource } from '../../features/users/queries.ts';
import type { PaletteSource } from '../../ui/palette-result.ts';

/** Where the palette looks besides the list of screens. */
export const paletteSources: readonly PaletteSource[] = [
  recordPaletteSource,
  apiKeyPaletteSource,
  channelPaletteSource,
  modelPaletteSource,
  userPaletteSource,
];
