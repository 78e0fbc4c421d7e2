import { channelEdits, type ExportFile } from '@switchyard/contract/channels/channel-edits';
import { z } from 'zod';

/** The file's text, with statuses as the API has them. */
export function fileOf(file: ExportFile): string {
  return `${JSON.stringify(z.encode(channelEdits.export.answer, file), null, 2)}\n`;
}

/** The JSON of a file or of a pasted text; undefined when it is none. */
export function parsedFile(text: string): z.output<typeof channelEdits.import.body>['content'] | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
