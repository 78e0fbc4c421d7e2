import { objectOf } from '../../json/json.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { createVideoDialect, toImageUrl } from './video-dialect.ts';

const newerOptions = { lengths: [6, 10], variants: ['512P', '768P', '1080P'] };
const firstOptions = { lengths: [6], variants: ['720P'] };
const firstModels = /^[TIS]2V-01/;
const known = ['resolution', 'prompt_optimizer', 'fast_pretreatment', 'last_frame_image', 'subject_reference'];
const plainFile = /^\d{1,32}$/;

/** Hailuo. https://platform.minimax.io/docs/api-reference/video-generation-t2v */
export const minimaxVideos = createVideoDialect({
  id: 'minimax-videos',
  options: (model) => (firstModels.test(model) ? firstOptions : newerOptions),
  encode({ prompt, seconds, variant, image, more }, model, dropped) {
    return pickDefinedFields({
      model,
      prompt,
      duration: seconds,
      first_frame_image: image && toImageUrl(image),
      ...pickKnownFields(known, more, dropped),
      resolution: variant,
    });
  },
  readId: (answer) => answer['task_id'],
  path: (id) => `/v1/query/video_generation?task_id=${id}`,
  read(task) {
    const file = parseTaskId(task['file_id'], plainFile);
    const report = objectOf(task['base_resp']);
    return {
      word: task['status'],
      // https://platform.minimax.io/docs/api-reference/file-management-retrieve-content
      urlCandidates: file === undefined ? [] : [`/v1/files/retrieve_content?file_id=${file}`],
      failure: (report['status_code'] ?? 0) === 0 ? undefined : report['status_msg'],
    };
  },
});
