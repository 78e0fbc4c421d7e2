import type { Right } from '@switchyard/contract/accounts/permissions';

/** One line of the command palette; a feature's queries.ts makes them for its records. */
export interface PaletteResult {
  id: string;
  title: string;
  /** Text that distinguishes it from others of the same name. */
  detail?: string;
  to: string;
  search?: Record<string, string>;
}

export interface PaletteSource {
  /** Heading, a key of the shell's words. */
  heading: 'apiKeys' | 'channels' | 'users' | 'models' | 'usageRecords';
  access: Right;
  find: (text: string, signal: AbortSignal) => Promise<PaletteResult[]>;
}
