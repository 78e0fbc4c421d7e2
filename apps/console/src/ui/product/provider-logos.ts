import ai21 from '@lobehub/icons-static-svg/icons/ai21.svg';
import ai360 from '@lobehub/icons-static-svg/icons/ai360-color.svg';
import aihubmix from '@lobehub/icons-static-svg/icons/aihubmix-color.svg';
import alibabacloud from '@lobehub/icons-static-svg/icons/alibabacloud-color.svg';
import anthropic from '@lobehub/icons-static-svg/icons/anthropic.svg';
import aws from '@lobehub/icons-static-svg/icons/aws.svg';
import azure from '@lobehub/icons-static-svg/icons/azure-color.svg';
import foundry from '@lobehub/icons-static-svg/icons/azureai-color.svg';
import baichuan from '@lobehub/icons-static-svg/icons/baichuan-color.svg';
import baidu from '@lobehub/icons-static-svg/icons/baidu-color.svg';
import bailian from '@lobehub/icons-static-svg/icons/bailian-color.svg';
import baseten from '@lobehub/icons-static-svg/icons/baseten.svg';
import bedrock from '@lobehub/icons-static-svg/icons/bedrock-color.svg';
import bfl from '@lobehub/icons-static-svg/icons/bfl.svg';
import bytedance from '@lobehub/icons-static-svg/icons/bytedance-color.svg';
import cerebras from '@lobehub/icons-static-svg/icons/cerebras.svg';
import chatglm from '@lobehub/icons-static-svg/icons/chatglm-color.svg';
import claude from '@lobehub/icons-static-svg/icons/claude-color.svg';
import cloudflare from '@lobehub/icons-static-svg/icons/cloudflare-color.svg';
import cohere from '@lobehub/icons-static-svg/icons/cohere-color.svg';
import coze from '@lobehub/icons-static-svg/icons/coze.svg';
import databricks from '@lobehub/icons-static-svg/icons/dbrx-color.svg';
import deepinfra from '@lobehub/icons-static-svg/icons/deepinfra-color.svg';
import deepseek from '@lobehub/icons-static-svg/icons/deepseek-color.svg';
import dify from '@lobehub/icons-static-svg/icons/dify-color.svg';
import doubao from '@lobehub/icons-static-svg/icons/doubao-color.svg';
import elevenlabs from '@lobehub/icons-static-svg/icons/elevenlabs.svg';
import fal from '@lobehub/icons-static-svg/icons/fal-color.svg';
import fireworks from '@lobehub/icons-static-svg/icons/fireworks-color.svg';
import flux from '@lobehub/icons-static-svg/icons/flux.svg';
import gemini from '@lobehub/icons-static-svg/icons/gemini-color.svg';
import giteeai from '@lobehub/icons-static-svg/icons/giteeai.svg';
import github from '@lobehub/icons-static-svg/icons/github.svg';
import githubcopilot from '@lobehub/icons-static-svg/icons/githubcopilot.svg';
import google from '@lobehub/icons-static-svg/icons/google-color.svg';
import grok from '@lobehub/icons-static-svg/icons/grok.svg';
import groq from '@lobehub/icons-static-svg/icons/groq.svg';
import hailuo from '@lobehub/icons-static-svg/icons/hailuo-color.svg';
import huggingface from '@lobehub/icons-static-svg/icons/huggingface-color.svg';
import hunyuan from '@lobehub/icons-static-svg/icons/hunyuan-color.svg';
import hyperbolic from '@lobehub/icons-static-svg/icons/hyperbolic-color.svg';
import ideogram from '@lobehub/icons-static-svg/icons/ideogram.svg';
import infinigence from '@lobehub/icons-static-svg/icons/infinigence-color.svg';
import internlm from '@lobehub/icons-static-svg/icons/internlm-color.svg';
import jina from '@lobehub/icons-static-svg/icons/jina.svg';
import kimi from '@lobehub/icons-static-svg/icons/kimi.svg';
import kling from '@lobehub/icons-static-svg/icons/kling-color.svg';
import lmstudio from '@lobehub/icons-static-svg/icons/lmstudio.svg';
import luma from '@lobehub/icons-static-svg/icons/luma-color.svg';
import meta from '@lobehub/icons-static-svg/icons/meta-color.svg';
import midjourney from '@lobehub/icons-static-svg/icons/midjourney.svg';
import minimax from '@lobehub/icons-static-svg/icons/minimax-color.svg';
import mistral from '@lobehub/icons-static-svg/icons/mistral-color.svg';
import modelscope from '@lobehub/icons-static-svg/icons/modelscope-color.svg';
import moonshot from '@lobehub/icons-static-svg/icons/moonshot.svg';
import nebius from '@lobehub/icons-static-svg/icons/nebius.svg';
import newapi from '@lobehub/icons-static-svg/icons/newapi-color.svg';
import novita from '@lobehub/icons-static-svg/icons/novita-color.svg';
import nvidia from '@lobehub/icons-static-svg/icons/nvidia-color.svg';
import ollama from '@lobehub/icons-static-svg/icons/ollama.svg';
import openai from '@lobehub/icons-static-svg/icons/openai.svg';
import openrouter from '@lobehub/icons-static-svg/icons/openrouter-color.svg';
import palm from '@lobehub/icons-static-svg/icons/palm-color.svg';
import perplexity from '@lobehub/icons-static-svg/icons/perplexity-color.svg';
import poe from '@lobehub/icons-static-svg/icons/poe.svg';
import ppio from '@lobehub/icons-static-svg/icons/ppio-color.svg';
import qiniu from '@lobehub/icons-static-svg/icons/qiniu-color.svg';
import qwen from '@lobehub/icons-static-svg/icons/qwen-color.svg';
import recraft from '@lobehub/icons-static-svg/icons/recraft.svg';
import replicate from '@lobehub/icons-static-svg/icons/replicate.svg';
import runway from '@lobehub/icons-static-svg/icons/runway.svg';
import sambanova from '@lobehub/icons-static-svg/icons/sambanova-color.svg';
import sensenova from '@lobehub/icons-static-svg/icons/sensenova-color.svg';
import siliconcloud from '@lobehub/icons-static-svg/icons/siliconcloud-color.svg';
import spark from '@lobehub/icons-static-svg/icons/spark-color.svg';
import stability from '@lobehub/icons-static-svg/icons/stability-color.svg';
import stepfun from '@lobehub/icons-static-svg/icons/stepfun-color.svg';
import suno from '@lobehub/icons-static-svg/icons/suno.svg';
import tencentcloud from '@lobehub/icons-static-svg/icons/tencentcloud-color.svg';
import together from '@lobehub/icons-static-svg/icons/together-color.svg';
import udio from '@lobehub/icons-static-svg/icons/udio-color.svg';
import upstage from '@lobehub/icons-static-svg/icons/upstage-color.svg';
import venice from '@lobehub/icons-static-svg/icons/venice-color.svg';
import vercel from '@lobehub/icons-static-svg/icons/vercel.svg';
import vertexai from '@lobehub/icons-static-svg/icons/vertexai-color.svg';
import vidu from '@lobehub/icons-static-svg/icons/vidu-color.svg';
import vllm from '@lobehub/icons-static-svg/icons/vllm-color.svg';
import volcengine from '@lobehub/icons-static-svg/icons/volcengine-color.svg';
import voyage from '@lobehub/icons-static-svg/icons/voyage.svg';
import wenxin from '@lobehub/icons-static-svg/icons/wenxin-color.svg';
import xai from '@lobehub/icons-static-svg/icons/xai.svg';
import xiaomimimo from '@lobehub/icons-static-svg/icons/xiaomimimo.svg';
import xinference from '@lobehub/icons-static-svg/icons/xinference-color.svg';
import yi from '@lobehub/icons-static-svg/icons/yi.svg';
import zeroone from '@lobehub/icons-static-svg/icons/zeroone.svg';
import zhipu from '@lobehub/icons-static-svg/icons/zhipu-color.svg';

/**
 * Logos of the known providers by id, which are trademarks of their owners. Only these files are bundled;
 * each loads when it is shown.
 */
const colourLogos: Record<string, string> = {
  azure,
  claude,
  gemini,
  google,
  vertexai,
  palm,
  bedrock,
  deepseek,
  mistral,
  cohere,
  cloudflare,
  openrouter,
  perplexity,
  qwen,
  alibabacloud,
  bailian,
  zhipu,
  chatglm,
  baidu,
  wenxin,
  spark,
  hunyuan,
  tencentcloud,
  minimax,
  baichuan,
  stepfun,
  doubao,
  volcengine,
  modelscope,
  qiniu,
  siliconcloud,
  kling,
  vidu,
  stability,
  huggingface,
  together,
  fireworks,
  ai360,
  hailuo,
  bytedance,
  nvidia,
  novita,
  vllm,
  sensenova,
  internlm,
  luma,
  udio,
  deepinfra,
  sambanova,
  ppio,
  infinigence,
  aihubmix,
  xinference,
  meta,
  databricks,
  foundry,
  hyperbolic,
  newapi,
  upstage,
  venice,
  dify,
  fal,
};

const plainLogos: Record<string, string> = {
  aws,
  cerebras,
  kimi,
  poe,
  voyage,
  yi,
  zeroone,
  openai,
  anthropic,
  groq,
  ollama,
  xai,
  grok,
  moonshot,
  coze,
  midjourney,
  suno,
  jina,
  github,
  githubcopilot,
  replicate,
  recraft,
  ideogram,
  flux,
  runway,
  elevenlabs,
  bfl,
  giteeai,
  lmstudio,
  ai21,
  baseten,
  nebius,
  vercel,
  xiaomimimo,
};

/** Providers that use another provider's logo. */
const aliases: Record<string, string> = {
  'azure openai': 'azure',
  'google gemini': 'gemini',
  'azure-openai': 'azure',
  'azure-v1': 'azure',
  'azure-foundry': 'foundry',
  'anthropic-compatible': 'anthropic',
  'one-api': 'newapi',
  'azure-databricks': 'azure',
  'azure-speech': 'azure',
  'gemini-cli': 'gemini',
  'google-ai-studio': 'gemini',
  vertex: 'vertexai',
  'claude-code': 'claude',
  'aws-claude': 'bedrock',
  ali: 'qwen',
  aliyun: 'qwen',
  bailian: 'qwen',
  xunfei: 'spark',
  tencent: 'hunyuan',
  'tencent-hunyuan': 'hunyuan',
  byteplus: 'bytedance',
  mimo: 'xiaomimimo',
  lingyi: 'yi',
  siliconflow: 'siliconcloud',
  'stability-ai': 'stability',
  'stable-diffusion': 'stability',
  'x-ai': 'xai',
  codex: 'openai',
};

/** Names of the logos for a picker. */
export const markNames = [...Object.keys(colourLogos), ...Object.keys(plainLogos)].toSorted();

/** Returns whether an icon is an uploaded picture instead of a logo's name. */
export function isPicture(icon: string): boolean {
  return icon.startsWith('data:image/');
}

/** @param provider id such as `openai`, or an owner's name */
export function providerLogo(provider: string): { url: string; colour: boolean } | undefined {
  const id = provider.toLowerCase();
  const name = aliases[id] ?? id.replaceAll(/[^a-z0-9]/g, '');
  const colour = colourLogos[name];
  if (colour !== undefined) return { url: colour, colour: true };
  const plain = plainLogos[name];
  return plain === undefined ? undefined : { url: plain, colour: false };
}
