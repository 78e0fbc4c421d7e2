import type { SentNotice } from './scripted-processor.ts';

/** Something that somebody made of a true notice. */
export interface Mutation {
  name: string;
  notice: SentNotice;
  /** Why it is the same notice still. */
  harmless?: string;
}
