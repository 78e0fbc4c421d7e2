import type { Right } from '@switchyard/contract/accounts/permissions';

/** Result of the command palette, created from a record by the feature's queries.ts. */
export interface PaletteResult {
  id: string;
  title: string;
  /** Text that distinguishes results with the same title. */
  detail?: string;
  to: string;
  search?: Record<string, string>;
}

export interface PaletteSource {
  /** Key of the heading's translation in `shell`. */
  heading: 'apiKeys' | 'channels' | 'users' | 'models' | 'usageRecords';
  access: Right;
  find: (text: string, signal: AbortSignal) => Promise<PaletteResult[]>;
}
