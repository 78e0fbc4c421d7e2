import type { Snippet } from './client-snippets.tsx';

/** One chat call to this gateway in the usual clients. */
export function clientSnippets(server: string, key: string, model: string): Snippet[] {
  const base = `${server}/v1`;
  return [
    {
      name: 'curl',
      code: [
        `curl ${base}/chat/completions \\`,
        `  -H "Authorization: Bearer ${key}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })}'`,
      ].join('\n'),
    },
    {
      name: 'Python',
      code: [
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url=${JSON.stringify(base)}, api_key=${JSON.stringify(key)})`,
        'answer = client.chat.completions.create(',
        `    model=${JSON.stringify(model)},`,
        '    messages=[{"role": "user", "content": "Hello"}],',
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n'),
    },
    {
      name: 'JavaScript',
      code: [
        "import OpenAI from 'openai';",
        '',
        'const client = new OpenAI({',
        `  baseURL: ${JSON.stringify(base)},`,
        `  apiKey: ${JSON.stringify(key)},`,
        '});',
        'const answer = await client.chat.completions.create({',
        `  model: ${JSON.stringify(model)},`,
        "  messages: [{ role: 'user', content: 'Hello' }],",
        '});',
        'console.log(answer.choices[0].message.content);',
      ].join('\n'),
    },
  ];
}
