import { anthropicMessages } from '../dialects/chat/anthropic-messages/anthropic-messages.ts';
import { bedrockConverse } from '../dialects/chat/bedrock-converse/bedrock-converse.ts';
import { cohereChat } from '../dialects/chat/cohere-chat/cohere-chat.ts';
import { cozeChat } from '../dialects/chat/coze-chat/coze-chat.ts';
import { difyChat } from '../dialects/chat/dify-chat/dify-chat.ts';
import { gemini } from '../dialects/chat/gemini/gemini.ts';
import { hunyuanChat } from '../dialects/chat/hunyuan-chat.ts';
import { openaiChat } from '../dialects/chat/openai-chat/openai-chat.ts';
import { openaiCompletions } from '../dialects/chat/openai-completions.ts';
import { openaiResponses } from '../dialects/chat/openai-responses/openai-responses.ts';
import {
  bedrockEmbeddings,
  cohereEmbeddings,
  vertexEmbeddings,
} from '../dialects/embeddings/bedrock-cohere-vertex-embeddings.ts';
import { geminiEmbeddings } from '../dialects/embeddings/gemini-embeddings.ts';
import { openaiEmbeddings } from '../dialects/embeddings/openai-embeddings.ts';
import { bflImages } from '../dialects/images/bfl-images.ts';
import { falImages } from '../dialects/images/fal-images.ts';
import { ideogramImages } from '../dialects/images/ideogram-images.ts';
import { klingImages } from '../dialects/images/kling-images.ts';
import { midjourneyImages } from '../dialects/images/midjourney-images.ts';
import { midjourney, midjourneyUploads } from '../dialects/images/midjourney-proxy-tasks.ts';
import { openaiImageEdits, openaiImages, openaiImageVariations } from '../dialects/images/openai-images.ts';
import { replicateImages } from '../dialects/images/replicate-images.ts';
import { stabilityImages } from '../dialects/images/stability-images.ts';
import { openaiModeration } from '../dialects/moderation/openai-moderation.ts';
import { suno } from '../dialects/music/suno.ts';
import { openaiRealtime } from '../dialects/realtime/openai-realtime.ts';
import { cohereRerank } from '../dialects/rerank/cohere-rerank-v2.ts';
import { rerank } from '../dialects/rerank/rerank-v1.ts';
import { azureSpeech } from '../dialects/speech/azure-speech.ts';
import { deepgramSpeech } from '../dialects/speech/deepgram-speech.ts';
import { elevenlabsSpeech } from '../dialects/speech/elevenlabs-speech.ts';
import { minimaxSpeech } from '../dialects/speech/minimax-speech.ts';
import { openaiSpeech } from '../dialects/speech/openai-speech.ts';
import { deepgramTranscription } from '../dialects/transcription/deepgram-transcription.ts';
import { elevenlabsTranscription } from '../dialects/transcription/elevenlabs-transcription.ts';
import { openaiTranscription, openaiTranslation } from '../dialects/transcription/openai-transcription.ts';
import { arkVideos } from '../dialects/video/ark-videos.ts';
import { klingVideos } from '../dialects/video/kling-videos.ts';
import { lumaVideos } from '../dialects/video/luma-videos.ts';
import { minimaxVideos } from '../dialects/video/minimax-videos.ts';
import { videoGenerations } from '../dialects/video/new-api-videos.ts';
import { openaiVideoRemix, openaiVideos } from '../dialects/video/openai-videos.ts';
import { runwayVideos } from '../dialects/video/runway-videos.ts';
import { veoVideos } from '../dialects/video/veo-videos.ts';
import { viduVideos } from '../dialects/video/vidu-videos.ts';
import { wanVideos } from '../dialects/video/wan-videos.ts';
import { xaiVideos } from '../dialects/video/xai-videos.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Dialect, UpstreamDialect } from '../model/dialect.ts';
import type { DialectId, UpstreamDialectId } from '../model/dialect-id.ts';
import type { VideoSubmission } from '../model/task-types.ts';

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
} satisfies Record<DialectId, Dialect>;

const upstreamDialects: Readonly<Record<UpstreamDialectId, UpstreamDialect>> = {
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

export function getDialect(format: DialectId): Dialect {
  return dialects[format];
}

export function getUpstreamDialect(format: UpstreamDialectId): UpstreamDialect {
  return upstreamDialects[format];
}

/** Returns whether a video starts from an image: some vendors have another path for such tasks. */
export function startsFromImage(request: ClientRequest): boolean {
  return getDialect(request.format).decodeVideoRequest?.(request, [])?.image !== undefined;
}

/**
 * Plans a video task in another dialect than the client's; returns undefined for other requests.
 * @throws InvalidRequestError when the vendor offers no such video
 */
export function planVideoSubmission(
  request: ClientRequest,
  format: UpstreamDialectId,
  model: string,
  dropped: string[],
): VideoSubmission | undefined {
  const upstream = getUpstreamDialect(format);
  if (format === request.format || upstream.encodeVideoSubmission === undefined) return undefined;
  const asked = getDialect(request.format).decodeVideoRequest?.(request, dropped);
  return asked && upstream.encodeVideoSubmission(asked, model, dropped);
}
