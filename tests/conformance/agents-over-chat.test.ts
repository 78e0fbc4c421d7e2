/**
 * Real requests of coding agents through the whole gateway, over several turns with tools, to a vendor that speaks only
 * chat completions.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { type ChatUpstream, startChatUpstream } from './chat-upstream.ts';
import type { Loose } from './loose.ts';

const CUSTOM = 1;
const model = 'vendor-model';

let vendor: ChatUpstream;
let scene: RelayScene;
beforeAll(async () => {
  vendor = await startChatUpstream();
  scene = await startRelayScene();
  await scene.newChannel({
    type: CUSTOM,
    base_url: vendor.url,
    models: [model],
    key: 'sk-vendor',
    options: { api: 'chat' },
  });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});

/** Received requests since; each begins like the previous one, so that its prompt stays cached. */
function askedSince(count: number): Loose[] {
  const bodies = vendor.asked.slice(count).map((text) => JSON.parse(text));
  for (const [index, { messages, ...rest }] of bodies.entries()) {
    const before = bodies[index - 1];
    if (before === undefined) continue;
    const { messages: earlier, ...restBefore } = before;
    expect(JSON.stringify(rest)).toBe(JSON.stringify(restBefore));
    expect(JSON.stringify(messages.slice(0, earlier.length))).toBe(JSON.stringify(earlier));
  }
  return bodies;
}

describe('Claude Code', () => {
  /** Longer than chat vendors allow. */
  const remote = `mcp__plugin_browser-tools_browser__${'take_snapshot_of_page_'.repeat(2)}now`;
  const ephemeral = { type: 'ephemeral' } as const;
  const schema = { type: 'object' as const, properties: { path: { type: 'string' } } };
  const tools: Anthropic.Beta.BetaToolUnion[] = [
    ...Array.from({ length: 40 }, (_, index) => ({
      name: `Tool${index}`,
      description: 'One of many.',
      input_schema: schema,
      eager_input_streaming: true,
    })),
    { name: 'Read', description: 'Reads a file.', input_schema: schema },
    { name: remote, description: 'From an MCP server.', input_schema: schema, cache_control: ephemeral },
  ];
  const habits = {
    model,
    max_tokens: 32_000,
    system: [
      { type: 'text' as const, text: 'You are Claude Code.', cache_control: ephemeral },
      { type: 'text' as const, text: '# Environment', cache_control: ephemeral },
    ],
    tools,
    thinking: { type: 'enabled' as const, budget_tokens: 31_999 },
    metadata: { user_id: `user_${'a'.repeat(64)}_account__session_${'c'.repeat(36)}` },
    betas: ['claude-code-20250219', 'interleaved-thinking-2025-05-14', 'fine-grained-tool-streaming-2025-05-14'],
  };
  const question: Anthropic.Beta.BetaMessageParam = {
    role: 'user',
    content: [
      { type: 'text', text: '<system-reminder>…</system-reminder>' },
      { type: 'text', text: 'What is in a.txt?', cache_control: ephemeral },
    ],
  };

  it('runs its tool loop over three turns, with its own names, thinking and fragments', async () => {
    const client = new Anthropic({ apiKey: scene.key, baseURL: scene.url, maxRetries: 0 });
    const count = vendor.asked.length;
    const messages: Anthropic.Beta.BetaMessageParam[] = [question];
    const renamed = expect.stringMatching(/^mcp__[a-zA-Z0-9_-]{59}$/);
    vendor.answers.push({
      thought: 'Two things.',
      text: 'Let me look.',
      calls: [
        { name: 'Read', input: { path: 'a.txt' } },
        { name: 'Tool7', input: { path: 'b'.repeat(50) } },
      ],
    });
    const first = client.beta.messages.stream({ ...habits, messages });
    let fragments = 0;
    first.on('inputJson', () => {
      fragments++;
    });
    const one = await first.finalMessage();
    expect(fragments).toBeGreaterThan(8);
    expect(one).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Two things.' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', name: 'Read', input: { path: 'a.txt' } },
        { type: 'tool_use', name: 'Tool7', input: { path: 'b'.repeat(50) } },
      ],
    });

    const toldName = (body: Loose): string => body.tools.at(-1).function.name;
    vendor.answers.push({
      thought: 'One more.',
      calls: [{ name: toldName(JSON.parse(vendor.asked[count] ?? '{}')), input: { path: 'c' } }],
    });
    messages.push({ role: 'assistant', content: one.content }, resultsOf(one));
    const two = await client.beta.messages.stream({ ...habits, messages }).finalMessage();
    expect(two.content).toMatchObject([{ type: 'thinking' }, { type: 'tool_use', name: remote }]);

    messages.push({ role: 'assistant', content: two.content }, resultsOf(two));
    const three = await client.beta.messages.stream({ ...habits, messages }).finalMessage();
    expect(three).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done.' }] });

    const [, , last] = askedSince(count);
    expect(toldName(last)).toEqual(renamed);
    expect(last.tools).toHaveLength(42);
    expect(last.messages.slice(2)).toMatchObject([
      {
        role: 'assistant',
        reasoning_content: 'Two things.',
        reasoning_details: [{ signature: 'proof-1' }],
        tool_calls: [{ function: { name: 'Read' } }, { function: { name: 'Tool7' } }],
      },
      { role: 'tool', content: 'a result' },
      { role: 'tool', content: 'a result' },
      {
        role: 'assistant',
        reasoning_content: 'One more.',
        reasoning_details: [{ signature: 'proof-2' }],
        tool_calls: [{ function: { name: toldName(last) } }],
      },
      { role: 'tool' },
    ]);
    expect(JSON.stringify(vendor.headers.at(-1))).not.toContain('claude-code');
  });

  function resultsOf({ content }: Anthropic.Beta.BetaMessage): Anthropic.Beta.BetaMessageParam {
    const calls = content.filter((block) => block.type === 'tool_use');
    return {
      role: 'user',
      content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'a result' })),
    };
  }

  it('gets a token count without an upstream request', async () => {
    const client = new Anthropic({ apiKey: scene.key, baseURL: scene.url, maxRetries: 0 });
    const count = vendor.asked.length;
    const { max_tokens: _cap, metadata: _user, ...asked } = habits;
    const { input_tokens: tokens } = await client.beta.messages.countTokens({ ...asked, messages: [question] });
    expect(tokens).toBeGreaterThan(400);
    expect(vendor.asked).toHaveLength(count);
  });
});

describe('Codex', () => {
  const tools: OpenAI.Responses.Tool[] = [
    {
      type: 'function',
      name: 'exec_command',
      description: 'Runs a command',
      strict: false,
      parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
    },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: begin hunk+ end' },
    },
    { type: 'local_shell' },
    {
      type: 'namespace',
      name: 'mcp__handbook',
      description: 'Tools in the mcp__handbook namespace.',
      tools: [
        {
          type: 'function',
          name: 'look_up',
          strict: false,
          parameters: { type: 'object', properties: { term: { type: 'string' } } },
        },
      ],
    },
  ];
  const habits = {
    model,
    instructions: 'You are Codex.',
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '0199-session',
  } as const;
  const opening: OpenAI.Responses.ResponseInputItem[] = [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: '<permissions>' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the typo.' }] },
  ];
  const diff = '*** Begin Patch\n*** End Patch';

  async function ask(input: OpenAI.Responses.ResponseInputItem[]) {
    const client = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
    const { data, response } = await client.responses
      .create({ ...habits, input, include: [...habits.include] })
      .withResponse();
    const items: Loose[] = [];
    for await (const event of data) if (event.type === 'response.output_item.done') items.push(event.item);
    return { items, dropped: response.headers.get('x-switchyard-dropped') };
  }

  it('runs its tool loop over three turns, with its custom tool, a namespace and encrypted reasoning', async () => {
    const count = vendor.asked.length;
    vendor.answers.push(
      {
        thought: 'I look first.',
        text: 'Looking.',
        calls: [
          { name: 'exec_command', input: { cmd: 'ls' } },
          { name: 'exec_command', input: { cmd: 'cat README.md' } },
        ],
      },
      {
        thought: 'Now I fix it.',
        calls: [
          { name: 'apply_patch', input: { input: diff } },
          { name: 'mcp__handbook__look_up', input: { term: 'typo' } },
        ],
      },
    );
    const input = [...opening];
    const one = await ask(input);
    expect(one.dropped).toBe('tools.custom.format');
    expect(one.items).toMatchObject([
      { type: 'reasoning', encrypted_content: expect.any(String) },
      { type: 'message', content: [{ text: 'Looking.' }] },
      { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}' },
      { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"cat README.md"}' },
    ]);
    input.push(...sentBack(one.items));
    const two = await ask(input);
    expect(two.items).toMatchObject([
      { type: 'reasoning' },
      { type: 'custom_tool_call', name: 'apply_patch', input: diff },
      { type: 'function_call', name: 'look_up', namespace: 'mcp__handbook', arguments: '{"term":"typo"}' },
    ]);
    input.push(...sentBack(two.items));
    const three = await ask(input);
    expect(three.items).toMatchObject([{ type: 'message', content: [{ text: 'Done.' }] }]);

    const [, , last] = askedSince(count);
    expect(last).toMatchObject({ prompt_cache_key: '0199-session', parallel_tool_calls: true });
    const signed = (turn: number) => [{ type: 'reasoning.text', signature: `proof-${turn}` }];
    expect(last.messages.slice(2)).toMatchObject([
      {
        role: 'assistant',
        content: 'Looking.',
        reasoning_content: 'I look first.',
        reasoning_details: signed(count + 1),
        tool_calls: [{ function: { name: 'exec_command' } }, { function: { name: 'exec_command' } }],
      },
      { role: 'tool', content: 'ok' },
      { role: 'tool', content: 'ok' },
      {
        role: 'assistant',
        reasoning_content: 'Now I fix it.',
        reasoning_details: signed(count + 2),
        tool_calls: [
          { function: { name: 'apply_patch', arguments: JSON.stringify({ input: diff }) } },
          { function: { name: 'mcp__handbook__look_up', arguments: '{"term":"typo"}' } },
        ],
      },
      { role: 'tool', content: 'ok' },
      { role: 'tool', content: 'ok' },
    ]);
  });

  /** Items in their order, but with the outputs of calls after all of the calls, like Codex. */
  function sentBack(items: readonly Loose[]): Loose[] {
    const outputs = items.flatMap((item): Loose[] => {
      if (item.type === 'function_call') return [{ type: 'function_call_output', call_id: item.call_id, output: 'ok' }];
      return item.type === 'custom_tool_call'
        ? [{ type: 'custom_tool_call_output', call_id: item.call_id, output: 'ok' }]
        : [];
    });
    return [...items, ...outputs];
  }
});
