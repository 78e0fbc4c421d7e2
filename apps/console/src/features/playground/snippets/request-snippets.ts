import type { Snippet } from '../../../ui/product/client-snippets.tsx';
import type { ChatRequest, ImageRequest, SpeechRequest, TranscriptRequest } from '../composer/build-requests.ts';
import { anthropicBody, geminiRequest } from './anthropic-and-gemini-bodies.ts';

export const dialects = ['OpenAI', 'Anthropic', 'Gemini'] as const;
export type Dialect = (typeof dialects)[number];

const VARIABLE = 'API_KEY';
const EXPORT = `export ${VARIABLE}=YOUR_API_KEY`;

/** Returns the request as code with the key in a variable. File contents are shortened. */
export function requestSnippets(server: string, request: ChatRequest, dialect: Dialect = 'OpenAI'): Snippet[] {
  switch (dialect) {
    case 'OpenAI':
      return openaiSnippets(server, request);
    case 'Anthropic':
      return anthropicSnippets(server, request);
    case 'Gemini':
      return geminiSnippets(server, request);
  }
}

function openaiSnippets(server: string, request: ChatRequest): Snippet[] {
  const stream = request.stream === true;
  return [
    { name: 'curl', code: curl(`${server}/v1/chat/completions`, bearer, request) },
    {
      name: 'Python',
      code: python(
        ['from openai import OpenAI'],
        [
          openaiPython(server),
          ...pythonCall('answer = client.chat.completions.create', request),
          ...(stream
            ? [
                'for chunk in answer:',
                '    if chunk.choices:',
                '        print(chunk.choices[0].delta.content or "", end="")',
              ]
            : ['print(answer.choices[0].message)']),
        ],
      ),
    },
    {
      name: 'JavaScript',
      code: javascript("import OpenAI from 'openai';", [
        openaiJavaScript(server),
        `const answer = await client.chat.completions.create(${json(request)});`,
        ...(stream
          ? [
              'for await (const chunk of answer) {',
              "  process.stdout.write(chunk.choices[0]?.delta.content ?? '');",
              '}',
            ]
          : ['console.log(answer.choices[0].message);']),
      ]),
    },
  ];
}

function anthropicSnippets(server: string, request: ChatRequest): Snippet[] {
  const body = anthropicBody(request);
  const stream = request.stream === true;
  const headers = [`x-api-key: $${VARIABLE}`, 'anthropic-version: 2023-06-01'];
  return [
    { name: 'curl', code: curl(`${server}/v1/messages`, headers, body) },
    {
      name: 'Python',
      code: python(
        ['from anthropic import Anthropic'],
        [
          `client = Anthropic(base_url=${JSON.stringify(server)}, api_key=os.environ["${VARIABLE}"])`,
          ...pythonCall('answer = client.messages.create', body),
          ...(stream
            ? [
                'for event in answer:',
                '    if event.type == "content_block_delta" and event.delta.type == "text_delta":',
                '        print(event.delta.text, end="")',
              ]
            : ['print(answer.content)']),
        ],
      ),
    },
    {
      name: 'JavaScript',
      code: javascript("import Anthropic from '@anthropic-ai/sdk';", [
        `const client = new Anthropic({ baseURL: ${JSON.stringify(server)}, apiKey: process.env.${VARIABLE} });`,
        `const answer = await client.messages.create(${json(body)});`,
        ...(stream
          ? [
              'for await (const event of answer) {',
              "  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')",
              '    process.stdout.write(event.delta.text);',
              '}',
            ]
          : ['console.log(answer.content);']),
      ]),
    },
  ];
}

function geminiSnippets(server: string, request: ChatRequest): Snippet[] {
  const { model, contents, settings, more } = geminiRequest(request);
  const stream = request.stream === true;
  const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const config = { ...more, ...settings };
  const asked = { model, contents, ...(Object.keys(config).length === 0 ? {} : { config }) };
  const overHttp = { contents, ...more, ...(Object.keys(settings).length === 0 ? {} : { generationConfig: settings }) };
  return [
    {
      name: 'curl',
      code: curl(
        `${server}/v1beta/models/${encodeURIComponent(model)}:${action}`,
        [`x-goog-api-key: $${VARIABLE}`],
        overHttp,
      ),
    },
    {
      name: 'Python',
      code: python(
        ['from google import genai'],
        [
          'client = genai.Client(',
          `    api_key=os.environ["${VARIABLE}"], http_options={"base_url": ${JSON.stringify(server)}}`,
          ')',
          ...pythonCall(`answer = client.models.generate_content${stream ? '_stream' : ''}`, asked),
          ...(stream
            ? ['for chunk in answer:', '    print(chunk.text or "", end="")']
            : ['print(answer.candidates[0].content)']),
        ],
      ),
    },
    {
      name: 'JavaScript',
      code: javascript("import { GoogleGenAI } from '@google/genai';", [
        'const client = new GoogleGenAI({',
        `  apiKey: process.env.${VARIABLE},`,
        `  httpOptions: { baseUrl: ${JSON.stringify(server)} },`,
        '});',
        `const answer = await client.models.generateContent${stream ? 'Stream' : ''}(${json(asked)});`,
        ...(stream
          ? ["for await (const chunk of answer) process.stdout.write(chunk.text ?? '');"]
          : ['console.log(answer.candidates[0].content);']),
      ]),
    },
  ];
}

export function pictureSnippets(server: string, request: ImageRequest): Snippet[] {
  return [
    { name: 'curl', code: curl(`${server}/v1/images/generations`, bearer, request) },
    {
      name: 'Python',
      code: python(
        ['import base64', 'from openai import OpenAI'],
        [
          openaiPython(server),
          ...pythonCall('answer = client.images.generate', request),
          'for number, picture in enumerate(answer.data):',
          '    with open(f"picture-{number}.png", "wb") as file:',
          '        file.write(base64.b64decode(picture.b64_json))',
        ],
      ),
    },
    {
      name: 'JavaScript',
      code: javascript("import { writeFile } from 'node:fs/promises';\nimport OpenAI from 'openai';", [
        openaiJavaScript(server),
        `const answer = await client.images.generate(${json(request)});`,
        'for (const [number, picture] of answer.data.entries())',
        "  await writeFile(`picture-${number}.png`, Buffer.from(picture.b64_json, 'base64'));",
      ]),
    },
  ];
}

export function speechSnippets(server: string, request: SpeechRequest): Snippet[] {
  const file = `speech.${request.response_format ?? 'mp3'}`;
  return [
    { name: 'curl', code: `${curl(`${server}/v1/audio/speech`, bearer, request)} \\\n  --output ${shellText(file)}` },
    {
      name: 'Python',
      code: python(
        ['from openai import OpenAI'],
        [
          openaiPython(server),
          ...pythonCall('answer = client.audio.speech.create', request),
          `answer.write_to_file(${JSON.stringify(file)})`,
        ],
      ),
    },
    {
      name: 'JavaScript',
      code: javascript("import { writeFile } from 'node:fs/promises';\nimport OpenAI from 'openai';", [
        openaiJavaScript(server),
        `const answer = await client.audio.speech.create(${json(request)});`,
        `await writeFile(${JSON.stringify(file)}, Buffer.from(await answer.arrayBuffer()));`,
      ]),
    },
  ];
}

export function transcriptSnippets(server: string, request: TranscriptRequest, file: string): Snippet[] {
  const fields = Object.entries(request);
  return [
    {
      name: 'curl',
      code: [
        EXPORT,
        `curl ${shellText(`${server}/v1/audio/transcriptions`)} \\`,
        ...bearer.map((header) => `  -H "${header}" \\`),
        // `--form-string`, because `-F` reads values that start with @ or < from a file.
        ...fields.map(([name, value]) => `  --form-string ${shellText(`${name}=${value}`)} \\`),
        `  -F ${shellText(`file=@${JSON.stringify(file)}`)}`,
      ].join('\n'),
    },
    {
      name: 'Python',
      code: python(
        ['from openai import OpenAI'],
        [
          openaiPython(server),
          `with open(${JSON.stringify(file)}, "rb") as file:`,
          '    answer = client.audio.transcriptions.create(',
          ...fields.map(([name, value]) => `        ${name}=${pythonValue(value, 8)},`),
          '        file=file,',
          '    )',
          'print(answer.text)',
        ],
      ),
    },
    {
      name: 'JavaScript',
      code: javascript("import { createReadStream } from 'node:fs';\nimport OpenAI from 'openai';", [
        openaiJavaScript(server),
        'const answer = await client.audio.transcriptions.create({',
        ...fields.map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`),
        `  file: createReadStream(${JSON.stringify(file)}),`,
        '});',
        'console.log(answer.text);',
      ]),
    },
  ];
}

const bearer = [`Authorization: Bearer $${VARIABLE}`];

const openaiPython = (server: string) =>
  `client = OpenAI(base_url=${JSON.stringify(`${server}/v1`)}, api_key=os.environ["${VARIABLE}"])`;
const openaiJavaScript = (server: string) =>
  `const client = new OpenAI({ baseURL: ${JSON.stringify(`${server}/v1`)}, apiKey: process.env.${VARIABLE} });`;

function curl(address: string, headers: readonly string[], body: object): string {
  return [
    EXPORT,
    `curl ${shellText(address)} \\`,
    // Double quotes, so that the shell expands the key variable.
    ...headers.map((header) => `  -H "${header}" \\`),
    '  -H "Content-Type: application/json" \\',
    `  -d ${shellText(json(body))}`,
  ].join('\n');
}

const shellText = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function python(imports: readonly string[], lines: readonly string[]): string {
  return [`# ${EXPORT}`, 'import os', ...imports, '', ...lines].join('\n');
}

function javascript(imports: string, lines: readonly string[]): string {
  return [`// ${EXPORT}`, imports, '', ...lines].join('\n');
}

function json(value: object): string {
  return JSON.stringify(value, shortenFile, 2);
}

function shortenFile(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith('data:')) return value.replace(/,.*/s, ',…');
  return name === 'data' && /^[A-Za-z0-9+/]{64,}={0,2}$/.test(value) ? '…' : value;
}

function pythonCall(name: string, body: object): string[] {
  const fields = Object.entries(body).map(([field, value]) => `    ${field}=${pythonValue(value, 4)},`);
  return [`${name}(`, ...fields, ')'];
}

/** Returns a value as Python source. Only values outside of strings become True, False and None. */
function pythonValue(value: unknown, indent: number, name = ''): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  const pad = ' '.repeat(indent);
  const inner = indent + 4;
  if (Array.isArray(value)) {
    const items = value.map((item) => `${pad}    ${pythonValue(item, inner)},`);
    return ['[', ...items, `${pad}]`].join('\n');
  }
  if (typeof value === 'object') {
    const items = Object.entries(value).map(
      ([name, item]) => `${pad}    ${JSON.stringify(name)}: ${pythonValue(item, inner, name)},`,
    );
    return ['{', ...items, `${pad}}`].join('\n');
  }
  return JSON.stringify(shortenFile(name, value));
}
