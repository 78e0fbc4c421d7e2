import type { ToolResultPart } from '../../../../model/conversation.ts';
import { encodeFile } from './encode-file.ts';

type Json = Record<string, unknown>;

/** A result is an object here, whose members are called as Google's documentation does. */
export function encodeResult(result: ToolResultPart, name: string, files: readonly Json[]): Json {
  const words = wordsOf(result);
  return {
    functionResponse: {
      id: result.callId,
      name,
      response: result.isError ? { error: words } : { output: words },
      ...(files.length > 0 && { parts: files }),
    },
  };
}

function wordsOf({ content }: ToolResultPart): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export function filesOf({ content }: ToolResultPart, dropped: string[]): Json[] {
  return content.flatMap((part) => (part.type === 'text' ? [] : [encodeFile(part, dropped)]));
}
