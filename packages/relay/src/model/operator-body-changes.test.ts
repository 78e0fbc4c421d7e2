import { describe, expect, it } from 'vitest';
import { sampleTarget } from '../testing/sample-requests.ts';
import { type BodyChange, changeBody } from './operator-body-changes.ts';

const nothing: BodyChange = { models: [], rename: {}, remove: [], defaults: {}, set: {} };

function change(body: Record<string, unknown>, ...bodies: Partial<BodyChange>[]) {
  const dropped: string[] = [];
  const changes = {
    systemAsUser: false,
    streaming: 'as-asked' as const,
    bodies: bodies.map((fields) => ({ ...nothing, ...fields })),
  };
  const changed = changeBody(body, sampleTarget('custom', { model: 'gpt-5-mini', changes }), dropped);
  return { changed, dropped };
}

describe('a channel’s body changes', () => {
  it('returns the same object when nothing changes', () => {
    const body = { a: 1 };
    expect(changeBody(body, sampleTarget('custom'), [])).toBe(body);
    expect(change(body, { remove: ['b'], defaults: { a: 2 } }).changed).toBe(body);
  });

  it('rename, remove, default and set fields, in this order', () => {
    const { changed, dropped } = change(
      { max_tokens: 5, user: 'u', reasoning: { summary: 'auto' }, top_p: 1 },
      {
        rename: { max_tokens: 'max_completion_tokens' },
        remove: ['user'],
        defaults: { 'reasoning.effort': 'low', 'reasoning.summary': 'none' },
        set: { top_p: 0.5, 'extra.deep.er': true },
      },
    );
    expect(changed).toEqual({
      max_completion_tokens: 5,
      reasoning: { summary: 'auto', effort: 'low' },
      top_p: 0.5,
      extra: { deep: { er: true } },
    });
    expect(dropped).toEqual(['user']);
  });

  it('apply to each item of a list', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const { changed, dropped } = change(
      {
        messages: [
          { role: 'user', content: [{ text: 'x', ...mark }, { text: 'y' }] },
          { role: 'assistant', content: 'z' },
        ],
        tools: [{ name: 'f', ...mark }],
      },
      { remove: ['messages.content.cache_control', 'tools.cache_control', 'tools.missing'] },
      { defaults: { 'tools.kind': 'own', 'tools.name': 'g' }, set: { 'messages.content.kind': 1 } },
    );
    expect(changed).toEqual({
      messages: [
        {
          role: 'user',
          content: [
            { text: 'x', kind: 1 },
            { text: 'y', kind: 1 },
          ],
        },
        { role: 'assistant', content: 'z' },
      ],
      tools: [{ name: 'f', kind: 'own' }],
    });
    expect(dropped).toEqual(['messages.content.cache_control', 'tools.cache_control']);
  });

  it('apply only to the matching models', () => {
    expect(change({}, { models: ['gpt-5*'], set: { a: 1 } }).changed).toEqual({ a: 1 });
    expect(change({}, { models: ['gpt-5-mini'], set: { a: 1 } }).changed).toEqual({ a: 1 });
    expect(change({}, { models: ['gpt-5', 'o*'], set: { a: 1 } }).changed).toEqual({});
  });

  it('do not reach the prototype', () => {
    const { changed } = change({}, { defaults: { 'constructor.name': 'x' } });
    expect(Object.hasOwn(changed, 'constructor')).toBe(true);
    expect({}.constructor).toBe(Object);
  });
});
