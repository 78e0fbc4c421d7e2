import { type ConversationContent, conversationContent } from '@switchyard/contract/playground/conversation';
import type { Turn } from './conversation.ts';

/** Larger than any exported file. */
export const FILE_BYTES_MAX = 32 * 1_048_576;

/** Returns the title as a file name that every file system accepts. */
export function fileName(title: string, extension: 'md' | 'json'): string {
  const stem = title
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${stem || 'conversation'}.${extension}`;
}

/** Returns the conversation in an exported file; undefined for another file. */
export function readConversationFile(text: string): ConversationContent | undefined {
  try {
    return conversationContent.safeParse(JSON.parse(text.replace(/^\uFEFF/, ''))).data;
  } catch {
    return undefined;
  }
}

/**
 * Returns the conversation as readable Markdown, without images.
 * @param asker heading of each question
 */
export function markdownOf(title: string, turns: readonly Turn[], asker: string): string {
  const parts = turns.flatMap((turn) => [
    `## ${asker}`,
    turn.text,
    ...turn.answers.flatMap((answer) => [
      `### ${answer.model}`,
      ...[...answer.rounds, answer].flatMap((said) => [
        said.text,
        ...said.toolCalls.map((call) => fenced(`${call.name}(${call.arguments})`, call.result)),
      ]),
    ]),
  ]);
  return `${[`# ${title}`, ...parts].filter((part) => part !== '').join('\n\n')}\n`;
}

function fenced(call: string, result: string | undefined): string {
  const text = result === undefined ? call : `${call}\n→ ${result}`;
  // The fence must be longer than any fence in the text.
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
