import { type JsonObject, numberOf, objectOf } from '../../json/json.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { findNearestRatio } from '../images/image-dialect.ts';
import { createVideoDialect, listSeconds, toImageUrl, toVideoUsage, type VideoOptions } from './video-dialect.ts';

const ratios = '16:9 9:16 1:1 4:3 3:4'.split(' ');
const inInput = ['negative_prompt', 'audio_url'];
const inParameters = ['resolution', 'ratio', 'prompt_extend', 'watermark', 'seed', 'shot_type'];
/** Sizes of older models, which take them instead of a resolution and an aspect ratio. */
const sizes: Readonly<Record<string, readonly string[]>> = {
  '480P': ['832*480', '480*832', '624*624'],
  '720P': ['1280*720', '720*1280', '960*960', '1088*832', '832*1088'],
  '1080P': ['1920*1080', '1080*1920', '1440*1440', '1632*1248', '1248*1632'],
};
const WIDE = { width: 16, height: 9 };
/** Older models. Newer ones take the first frame in a list, and a resolution with an aspect ratio. */
const olderModels = /^wanx?2\.[1-6]/;

/** Wan at Alibaba Cloud. https://www.alibabacloud.com/help/en/model-studio/text-to-video-api-reference */
export const wanVideos = createVideoDialect({
  id: 'wan-videos',
  options: selectOptions,
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    const isOlder = olderModels.test(model);
    const hasSize = isOlder && image === undefined;
    const url = image && toImageUrl(image);
    const others = Object.entries(more).filter(([name]) => !inInput.includes(name));
    return {
      model,
      input: pickDefinedFields({
        prompt,
        ...(isOlder ? { img_url: url } : { media: url && [{ type: 'first_frame', url }] }),
        ...Object.fromEntries(inInput.map((name) => [name, more[name]])),
      }),
      parameters: pickDefinedFields({
        ratio: isOlder || image !== undefined ? undefined : findNearestRatio({ size }, ratios),
        duration: seconds,
        ...pickKnownFields(inParameters, Object.fromEntries(others), dropped),
        size: hasSize ? findNearestRatio({ size: size ?? WIDE }, sizes[variant] ?? []) : undefined,
        resolution: hasSize ? undefined : variant,
      }),
    };
  },
  // The endpoint accepts only asynchronous tasks, and requires this header.
  headers: { 'x-dashscope-async': 'enable' },
  readId: ({ output }) => objectOf(output)['task_id'],
  path: (id) => `/api/v1/tasks/${id}`,
  read({ output, usage }) {
    const task = objectOf(output);
    const counted = objectOf(usage);
    // Each generation names the field differently.
    const seconds = counted['output_video_duration'] ?? counted['video_duration'] ?? counted['duration'];
    return {
      word: task['task_status'],
      urlCandidates: [task['video_url']],
      failure: task['message'],
      usage: toVideoUsage(numberOf(seconds), readResolution(counted)),
    };
  },
});

function selectOptions(model: string): VideoOptions {
  const variants = Object.keys(sizes);
  if (/^wanx?2\.[1-4]/.test(model)) return { lengths: [5], variants };
  if (model.startsWith('wan2.5')) return { lengths: [5, 10], variants };
  return { lengths: listSeconds(2, 15), variants: ['720P', '1080P'] };
}

/** Returns the billed resolution, derived from the video's shorter side. */
function readResolution({ SR: side }: JsonObject): { imageVariant?: string } {
  const resolution = `${numberOf(side) ?? ''}P`;
  return Object.hasOwn(sizes, resolution) ? { imageVariant: resolution } : {};
}
