import { channelEdits, type ExportFile } from '@switchyard/contract/channels/bulk-edits-and-import';
import { z } from 'zod';

/** Returns the export file's JSON text with statuses in their wire form. */
export function fileOf(file: ExportFile): string {
  return `${JSON.stringify(z.encode(channelEdits.export.answer, file), null, 2)}\n`;
}

/** Returns the parsed JSON of a file or a pasted text; undefined when it is invalid. */
export function parsedFile(text: string): z.output<typeof channelEdits.import.body>['content'] | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
