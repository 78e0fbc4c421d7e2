/** What dialects of agents have in common that were put together at their vendor: they are told words, and little else. */
import type { Conversation, ImagePart, Part, Turn } from '../../model/conversation.ts';
import { reportDropped } from './defined-fields.ts';

/** Where the client names nobody; one name for all keeps what the vendor remembers of people empty. */
const NOBODY = 'api';

export function userOf({ userId }: Conversation): string {
  return userId ?? NOBODY;
}

/** How an answer is made was decided when the agent was. */
export function dropAllSettings(conversation: Conversation, dropped: string[]): void {
  const { choices, outputKinds = ['text'], reasoning } = conversation;
  const settings = {
    max_tokens: conversation.maxOutputTokens,
    temperature: conversation.temperature,
    top_p: conversation.topP,
    top_k: conversation.topK,
    stop: conversation.stop,
    seed: conversation.seed,
    presence_penalty: conversation.presencePenalty,
    frequency_penalty: conversation.frequencyPenalty,
    logprobs: conversation.logprobs,
    n: choices === 1 ? undefined : choices,
    reasoning_effort: reasoning,
    response_format: conversation.outputFormat,
    verbosity: conversation.verbosity,
    modalities: outputKinds.every((kind) => kind === 'text') ? undefined : outputKinds,
    tools: conversation.tools.length > 0 ? true : undefined,
  };
  reportDropped(settings, dropped);
  for (const { type } of conversation.vendorTools) dropped.push(`tools.${type}`);
}

/** The words of a turn; those of tools, too. */
export function wordsOf({ parts }: Turn): string {
  return parts.flatMap(wordsIn).join('\n');
}

function wordsIn(part: Part): string[] {
  if (part.type === 'text' || part.type === 'refusal') return part.text === '' ? [] : [part.text];
  if (part.type === 'tool-call') return [`[called ${part.name}: ${part.arguments}]`];
  if (part.type === 'tool-result') return part.content.flatMap(wordsIn);
  return [];
}

/** Pictures that lie at an address; whatever else is no word is named in `dropped`. */
export function pictureUrls(turns: readonly Turn[], dropped: string[]): string[] {
  return turns
    .flatMap(({ parts }) => parts)
    .flatMap((part) => {
      if (isPictureAtAddress(part)) return [part.source.url];
      if (!worded.has(part.type)) dropped.push(`messages.content.${part.type}`);
      return [];
    });
}

const worded: ReadonlySet<string> = new Set(['text', 'refusal', 'tool-call', 'tool-result']);

function isPictureAtAddress(part: Part): part is ImagePart & { source: { url: string } } {
  return part.type === 'image' && 'url' in part.source;
}
