import type { Part, Turn } from '../model/conversation.ts';

/**
 * Says in words which tools a search of the client's has found. All tools are declared to every target, so that a model
 * can call them by these names.
 * @param nameOf the name of a tool at the target
 */
export function describeFoundTools(turns: readonly Turn[], nameOf: (name: string) => string): Turn[] {
  return turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => describePart(part, nameOf)) }));
}

export function hasFoundTools({ parts }: Turn): boolean {
  return parts.some((part) => part.type === 'tool-result' && part.foundTools !== undefined);
}

function describePart(part: Part, nameOf: (name: string) => string): Part {
  if (part.type !== 'tool-result' || part.foundTools === undefined) return part;
  const { foundTools, content, ...result } = part;
  const found = foundTools.map(nameOf).join(', ');
  const text = found === '' ? 'No tools found.' : `Tools found: ${found}`;
  return { ...result, content: [...content, { type: 'text', text }] };
}
