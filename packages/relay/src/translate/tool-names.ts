/**
 * Renames tools whose names the target's dialect refuses, in the whole request and in the texts about tools that a
 * search has found, and restores the names in the response.
 */
import { createHash } from 'node:crypto';
import type { Conversation, Part, ResponseEvent, Turn } from '../model/conversation.ts';
import type { UpstreamChatCodec } from '../model/dialect.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';

interface Rule {
  /** Characters that a name must not contain. */
  forbidden: RegExp;
  mayBegin: RegExp;
  maxLength: number;
}

/**
 * OpenAI's rule: "a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64"
 * (https://platform.openai.com/docs/api-reference/chat/create); other vendors of its dialects check it as well.
 * Bedrock's rule is the same
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html).
 */
const openai: Rule = { forbidden: /[^a-zA-Z0-9_-]/gu, mayBegin: /^[a-zA-Z0-9_-]/, maxLength: 64 };

/** Rules by dialect. OpenAI's applies to others, because all vendors accept such names. */
const rules: Partial<Record<UpstreamDialectId, Rule>> = {
  // Anthropic's API: "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'".
  'anthropic-messages': { ...openai, maxLength: 128 },
  // Documented up to 128 (https://ai.google.dev/api/caching#FunctionDeclaration), but many models respond with 400
  // above 64.
  gemini: { forbidden: /[^a-zA-Z0-9_.:-]/gu, mayBegin: /^[a-zA-Z_]/, maxLength: 64 },
};

export class ToolNames {
  readonly #rule: Rule;
  readonly #renamed = new Map<string, string>();
  readonly #declared = new Map<string, string>();

  constructor(target: UpstreamDialectId) {
    this.#rule = rules[target] ?? openai;
  }

  /** Renames tools; returns the same object if the target accepts every name. */
  renameForTarget(conversation: Conversation): Conversation {
    this.#choose(namesIn(conversation), this.#rule);
    const { turns: given } = conversation;
    const nameOf = (name: string): string => this.#renamed.get(name) ?? name;
    const said = given.some(hasFoundTools)
      ? { ...conversation, turns: describeFoundTools(given, nameOf) }
      : conversation;
    return this.#renamed.size === 0 ? said : this.#renameAll(said);
  }

  #renameAll(conversation: Conversation): Conversation {
    const { tools, toolChoice, turns } = conversation;
    const callIds = new Set(turns.flatMap(({ parts }) => parts.filter(isCall).map(({ callId }) => callId)));
    return {
      ...conversation,
      tools: tools.map((tool) => this.#rename(tool)),
      toolChoice: toolChoice?.type === 'tool' ? this.#rename(toolChoice) : toolChoice,
      turns: turns.map((turn) => this.#renameIn(turn, callIds)),
    };
  }

  /** Returns the target's codec, whose responses have the client's names. */
  createRestoringCodec(chat: UpstreamChatCodec): UpstreamChatCodec {
    if (this.#declared.size === 0) return chat;
    return {
      ...chat,
      createStreamDecoder: (lost) => {
        const decoder = chat.createStreamDecoder(lost);
        return {
          get usage() {
            return decoder.usage;
          },
          push: (event, name) => this.restoreNames(decoder.push(event, name)),
          end: (isMarked) => this.restoreNames(decoder.end(isMarked)),
        };
      },
    };
  }

  restoreNames(events: readonly ResponseEvent[]): ResponseEvent[] {
    return events.map((event) =>
      event.type === 'tool-call' ? { ...event, name: this.#declared.get(event.name) ?? event.name } : event,
    );
  }

  /**
   * Chooses names from the request's names alone, in order: the same request yields the same bytes, which keeps
   * prompt caches valid.
   */
  #choose(names: ReadonlySet<string>, rule: Rule): void {
    const taken = new Set([...names].filter((name) => isValidName(name, rule)));
    for (const name of names) {
      if (taken.has(name)) continue;
      const other = chooseName(name, rule, taken);
      taken.add(other);
      this.#renamed.set(name, other);
      this.#declared.set(other, name);
    }
  }

  #rename<T extends { name: string }>(named: T): T {
    const other = this.#renamed.get(named.name);
    return other === undefined ? named : { ...named, name: other };
  }

  #renameIn(turn: Turn, callIds: ReadonlySet<string>): Turn {
    const parts = turn.parts.map((part): Part => {
      if (part.type === 'tool-call') return this.#rename(part);
      // Some clients send the name instead of the id.
      if (part.type !== 'tool-result' || callIds.has(part.callId)) return part;
      return { ...part, callId: this.#renamed.get(part.callId) ?? part.callId };
    });
    return { ...turn, parts };
  }
}

function namesIn({ tools, toolChoice, turns }: Conversation): ReadonlySet<string> {
  const names = new Set(tools.map(({ name }) => name));
  if (toolChoice?.type === 'tool') names.add(toolChoice.name);
  for (const { parts } of turns) for (const part of parts) if (isCall(part)) names.add(part.name);
  return names;
}

function isCall(part: Part): part is Extract<Part, { type: 'tool-call' }> {
  return part.type === 'tool-call';
}

function isValidName(name: string, { forbidden, mayBegin, maxLength }: Rule): boolean {
  return name.length <= maxLength && mayBegin.test(name) && name.search(forbidden) === -1;
}

/** Returns the most similar valid name; if that is taken, a suffix derived from the original name distinguishes it. */
function chooseName(name: string, { forbidden, mayBegin, maxLength }: Rule, taken: ReadonlySet<string>): string {
  const plain = name.slice(0, 2 * maxLength).replaceAll(forbidden, '_');
  const begun = mayBegin.test(plain) ? plain : `_${plain}`;
  if (begun.length <= maxLength && !taken.has(begun)) return begun;
  // The name, which may have megabytes, is read once: a client can know all marks, and take as many as it likes.
  const digest = createHash('sha256').update(name).digest('hex');
  for (let attempt = 0; ; attempt++) {
    const mark = createHash('sha256').update(`${attempt} ${digest}`).digest('hex').slice(0, 8);
    const other = `${begun.slice(0, maxLength - mark.length - 1)}_${mark}`;
    if (!taken.has(other)) return other;
  }
}

/**
 * Describes in text which tools a client's tool search has found. All tools are declared to every target, so that a
 * model can call them by these names.
 * @param nameOf returns the name of a tool at the target
 */
function describeFoundTools(turns: readonly Turn[], nameOf: (name: string) => string): Turn[] {
  return turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => describePart(part, nameOf)) }));
}

function hasFoundTools({ parts }: Turn): boolean {
  return parts.some((part) => part.type === 'tool-result' && part.foundTools !== undefined);
}

function describePart(part: Part, nameOf: (name: string) => string): Part {
  if (part.type !== 'tool-result' || part.foundTools === undefined) return part;
  const { foundTools, content, ...result } = part;
  const found = foundTools.map(nameOf).join(', ');
  const text = found === '' ? 'No tools found.' : `Tools found: ${found}`;
  return { ...result, content: [...content, { type: 'text', text }] };
}
