import { describe, expect, it } from 'vitest';
import { findProvider } from '../providers.ts';
import type { Operation } from './dialect-id.ts';
import { modelOperation } from './facts-from-model-name.ts';

/** Names as vendors and gateways list them. */
const models: Readonly<Record<Operation, string>> = {
  chat: `gpt-4o gpt-5-mini o3-pro gpt-5-codex claude-haiku-4-5 gemini-2.5-flash gpt-audio gpt-4o-audio-preview
    gpt-4o-search-preview qwen-instruct qwen2.5-vl-72b-instruct qwen3-omni-flash deepseek-chat grok-4 kimi-k2.6
    amazon.nova-pro-v1:0 us.amazon.nova-2-lite-v1:0 nova-2-lite amazon/nova-3-premier llama-guard-4-12b
    stable-code-3b stablelm-2-12b-chat voxtral-small-24b video-llava-7b internvl3-78b glm-4.6v command-a
    phi-4-multimodal-instruct sonar-pro mistral-large-2512 ernie-4.5-turbo wanderer-7b raymond-13b liveness-1
    fluxion-8b musical-llm-7b sandbox-9b speechless-llama2-13b ring-1t`,
  completions: 'gpt-3.5-turbo-instruct gpt-3.5-turbo-instruct-0914 davinci-002 babbage-002',
  embeddings: `text-embedding-3-small gemini-embedding-2 bge-m3 BAAI/bge-large-en-v1.5 voyage-3.5
    multimodalembedding@001 cohere.embed-v4:0 amazon.titan-embed-image-v1 nomic-embed-vision-v1.5
    intfloat/multilingual-e5-large gte-large-en-v1.5 qwen3-embedding-8b jina-clip-v2 all-MiniLM-L6-v2`,
  rerank: 'rerank-v3.5 cohere.rerank-v3-5:0 bge-reranker-v2-m3 jina-reranker-m0 rerank-2.5-lite gte-rerank-v2',
  moderation: 'omni-moderation-latest text-moderation-007 mistral-moderation-2411',
  images: `gpt-image-1 gpt-image-1-mini gpt-image-2-2026-04-21 chatgpt-image-latest dall-e-2 dall-e-3 flux-2-pro
    flux-kontext-max FLUX.1-schnell black-forest-labs/flux-1.1-pro fal-ai/flux/dev imagen-4.0-generate-001
    imagen-4.0-ultra-generate-001 imagegeneration@006 gemini-2.5-flash-image gemini-3-pro-image-preview
    grok-2-image-1212 grok-imagine-image qwen-image-edit-plus hunyuan-image-3 glm-image z-image-turbo
    seedream-4-0 doubao-seedream-4-0-250828 doubao-seededit-3-0-i2i-250628 recraftv3 recraft-v3 stable-image-ultra
    stability.stable-image-core-v1:1 stable-diffusion-3.5-large sd3.5-large sdxl-turbo stable-diffusion-xl-1024-v1-0
    ideogram-v3 ideogram/ideogram-v2 kolors cogview-4 wanx2.1-t2i-turbo wan2.5-t2i-preview
    wan2.6-image amazon.nova-canvas-v1:0 amazon.titan-image-generator-v2:0 nano-banana-pro photon-1 photon-flash-1
    image-01 step-1x-medium irag-1.0 playground-v2.5 hidream-i1-full kandinsky-3`,
  speech: `tts-1 tts-1-hd gpt-4o-mini-tts gemini-2.5-flash-preview-tts playai-tts qwen3-tts-flash cosyvoice-v2
    FunAudioLLM/CosyVoice2-0.5B speech-02-hd speech-2.6-turbo eleven_multilingual_v2 eleven_v3 kokoro-82m
    IndexTeam/IndexTTS-2 fnlp/MOSS-TTSD-v0.5 aura-2-thalia-en canopylabs/orpheus-v1-english sambert-zhichu-v1`,
  transcription: `whisper-1 whisper-large-v3-turbo gpt-4o-transcribe gpt-4o-mini-transcribe gpt-4o-transcribe-diarize
    gpt-transcribe distil-whisper-large-v3-en qwen3-asr-flash glm-asr paraformer-v2 FunAudioLLM/SenseVoiceSmall
    scribe_v1 nova-3 nova-2-general voxtral-mini-transcribe-2507 stt-rt-v3`,
  realtime: `gpt-realtime gpt-realtime-mini gpt-4o-realtime-preview gpt-realtime-whisper gemini-2.0-flash-live-001
    gemini-live-2.5-flash gemini-2.5-flash-native-audio-preview-09-2025 qwen3-omni-flash-realtime scribe_v2_realtime`,
  videos: `sora-2 sora-2-pro veo-3.1-generate-preview veo-2.0-generate-001 kling-v2-master kling-v1-6
    kling-2.6/image-to-video wan2.5-t2v-preview wan2.2-i2v-flash wan2.6-r2v Wan-AI/Wan2.2-T2V-A14B wan2.2-kf2v-flash
    seedance-1-0-pro doubao-seedance-1-0-lite-i2v-250428 MiniMax-Hailuo-02 T2V-01-Director I2V-01 S2V-01 gen4_turbo
    gen3a_turbo gen4.5 ray-2 ray-flash-2 viduq2 vidu2.0 pika-2.2 pixverse-v5 cogvideox-3 hunyuan-video tencent/HunyuanVideo
    grok-imagine-video amazon.nova-reel-v1:1 ltx-2 video-01 jimeng-video-3.0`,
  drawing: 'mj_imagine mj-chat midjourney niji-6',
  music: 'suno_music suno-v5 chirp-v4 lyria-002 music-1.5 udio-130 stable-audio-2.5 eleven_music',
};
const cases = Object.entries(models).flatMap(([operation, names]) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, operation]),
);

describe('a model’s name', () => {
  it.each(cases)('of %s implies %s', (model, operation) => {
    expect(modelOperation(model)).toBe(operation);
  });

  it('uses the name at the vendor if the channel maps the model', () => {
    expect(modelOperation('house-model', { atVendor: 'flux-2-pro' })).toBe('images');
    expect(modelOperation('house-image', { atVendor: 'deployment-7' })).toBe('images');
  });
});

it.each([
  ['embeddings', { output: ['embedding'] }],
  ['images', { input: ['text', 'image'], output: ['image'] }],
  ['videos', { input: ['text'], output: ['video', 'audio'] }],
  ['transcription', { input: ['audio'], output: ['text'] }],
  ['chat', { input: ['text', 'audio'], output: ['text'] }],
  ['chat', { input: ['text'] }],
] as const)('selects the operation %s by the listed modalities', (operation, modalities) => {
  expect(modelOperation('house-model', { modalities })).toBe(operation);
});

it.each([
  ['bfl', 'house-model', 'images'],
  ['elevenlabs', 'house-model', 'speech'],
  ['mixedbread', 'house-model', 'rerank'],
  ['luma', 'house-model', 'videos'],
  ['suno', 'house-model', 'music'],
  ['gemini', 'gemini-3-pro-image', 'chat'],
  ['gemini', 'gemini-2.5-flash-preview-tts', 'chat'],
  ['gemini', 'gemini-2.0-flash-live-001', 'realtime'],
  ['anthropic', 'sora-2', 'videos'],
])('selects for %s and the model %s the offered operation %s', (provider, model, operation) => {
  expect(modelOperation(model, { provider: findProvider(provider) })).toBe(operation);
});
