import { apiKeyPaletteSource } from '../../features/accounts/api-keys/queries.ts';
import { userPaletteSource } from '../../features/accounts/users/queries.ts';
import { modelPaletteSource } from '../../features/catalog/models/queries.ts';
import { channelPaletteSource } from '../../features/channels/queries.ts';
import { recordPaletteSource } from '../../features/usage/usage-records/queries.ts';
import type { PaletteSource } from '../../ui/overlays/palette-result.ts';

/** Sources that the command palette searches besides the list of screens. */
export const paletteSources: readonly PaletteSource[] = [
  recordPaletteSource,
  apiKeyPaletteSource,
  channelPaletteSource,
  modelPaletteSource,
  userPaletteSource,
];
