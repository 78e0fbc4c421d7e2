import type { Dialect, UpstreamDialect } from './format.ts';
import type { FormatId, UpstreamFormatId } from './format-id.ts';
import { anthropicMessages } from './formats/anthropic-messages/anthropic-messages.ts';
import { arkVideos } from './formats/ark-videos.ts';
import { azureSpeech } from './formats/azure-speech.ts';
import { bedrockConverse } from './formats/bedrock-converse/bedrock-converse.ts';
import { bedrockEmbeddings } from './formats/bedrock-embeddings.ts';
import { bflImages } from './formats/bfl-images.ts';
import { cohereChat } from './formats/cohere-chat/cohere-chat.ts';
import { cohereEmbeddings } from './formats/cohere-embeddings.ts';
import { cohereRerank } from './formats/cohere-rerank.ts';
import { cozeChat } from './formats/coze-chat/coze-chat.ts';
import { deepgramSpeech } from './formats/deepgram-speech.ts';
import { deepgramTranscription } from './formats/deepgram-transcription.ts';
import { difyChat } from './formats/dify-chat/dify-chat.ts';
import { elevenlabsSpeech } from './formats/elevenlabs-speech.ts';
import { elevenlabsTranscription } from './formats/elevenlabs-transcription.ts';
import { falImages } from './formats/fal-images.ts';
import { gemini } from './formats/gemini/gemini.ts';
import { geminiEmbeddings } from './formats/gemini-embeddings.ts';
import { hunyuanChat } from './formats/hunyuan-chat.ts';
import { ideogramImages } from './formats/ideogram-images.ts';
import { klingImages } from './formats/kling-images.ts';
import { klingVideos } from './formats/kling-videos.ts';
import { lumaVideos } from './formats/luma-videos.ts';
import { midjourney } from './formats/midjourney.ts';
import { midjourneyImages } from './formats/midjourney-images.ts';
import { midjourneyUploads } from './formats/midjourney-uploads.ts';
import { minimaxSpeech } from './formats/minimax-speech.ts';
import { minimaxVideos } from './formats/minimax-videos.ts';
import { openaiChat } from './formats/openai-chat/openai-chat.ts';
import { openaiCompletions } from './formats/openai-completions.ts';
import { openaiEmbeddings } from './formats/openai-embeddings.ts';
import {
  openaiImageEdits,
  openaiImages,
  openaiImageVariations,
} from './formats/openai-images/openai-images.ts';
import { openaiModeration } from './formats/openai-moderation.ts';
import { openaiRealtime } from './formats/openai-realtime.ts';
import { openaiResponses } from './formats/openai-responses/openai-responses.ts';
import { openaiSpeech } from './formats/openai-speech.ts';
import {
  openaiTranscription,
  openaiTranslation,
} from './formats/openai-transcription/openai-transcription.ts';
import { openaiVideoRemix, openaiVideos } from './formats/openai-videos.ts';
import { replicateImages } from './formats/replicate-images.ts';
import { rerank } from './formats/rerank.ts';
import { runwayVideos } from './formats/runway-videos.ts';
import { stabilityImages } from './formats/stability-images.ts';
import { suno } from './formats/suno.ts';
import { veoVideos } from './formats/veo-videos.ts';
import { vertexEmbeddings } from './formats/vertex-embeddings.ts';
import { videoGenerations } from './formats/video-generations.ts';
import { viduVideos } from './formats/vidu-videos.ts';
import { wanVideos } from './formats/wan-videos.ts';
import { xaiVideos } from './formats/xai-videos.ts';

const dialects = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
  gemini,
  'openai-completions': openaiCompletions,
  'openai-embeddings': openaiEmbeddings,
  'gemini-embeddings': geminiEmbeddings,
  'openai-images': openaiImages,
  'openai-image-edits': openaiImageEdits,
  'openai-image-variations': openaiImageVariations,
  'openai-speech': openaiSpeech,
  'openai-transcription': openaiTranscription,
  'openai-translation': openaiTranslation,
  'openai-moderation': openaiModeration,
  rerank,
  'cohere-rerank': cohereRerank,
  'openai-realtime': openaiRealtime,
  'openai-videos': openaiVideos,
  'openai-video-remix': openaiVideoRemix,
  midjourney,
  'midjourney-uploads': midjourneyUploads,
  suno,
  'kling-videos': klingVideos,
  'video-generations': videoGenerations,
} satisfies Record<FormatId, Dialect>;

const upstreamDialects: Readonly<Record<UpstreamFormatId, UpstreamDialect>> = {
  ...dialects,
  'bedrock-converse': bedrockConverse,
  'bedrock-embeddings': bedrockEmbeddings,
  'vertex-embeddings': vertexEmbeddings,
  'cohere-chat': cohereChat,
  'cohere-embeddings': cohereEmbeddings,
  'replicate-images': replicateImages,
  'bfl-images': bflImages,
  'kling-images': klingImages,
  'midjourney-images': midjourneyImages,
  'dify-chat': difyChat,
  'coze-chat': cozeChat,
  'hunyuan-chat': hunyuanChat,
  'fal-images': falImages,
  'ideogram-images': ideogramImages,
  'stability-images': stabilityImages,
  'minimax-speech': minimaxSpeech,
  'azure-speech': azureSpeech,
  'deepgram-speech': deepgramSpeech,
  'deepgram-transcription': deepgramTranscription,
  'elevenlabs-transcription': elevenlabsTranscription,
  'elevenlabs-speech': elevenlabsSpeech,
  'ark-videos': arkVideos,
  'luma-videos': lumaVideos,
  'runway-videos': runwayVideos,
  'vidu-videos': viduVideos,
  'minimax-videos': minimaxVideos,
  'veo-videos': veoVideos,
  'wan-videos': wanVideos,
  'xai-videos': xaiVideos,
};

export function dialectOf(format: FormatId): Dialect {
  return dialects[format];
}

export function upstreamDialectOf(format: UpstreamFormatId): UpstreamDialect {
  return upstreamDialects[format];
}
