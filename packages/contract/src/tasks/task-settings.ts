import { z } from 'zod';
import { bucketName, bucketPrefix, flag, id, line, link, resultStorage } from '../operations/setting-schemas.ts';

/** Settings of work that goes on after its request. */
export const taskSettings = {
  /** Clients may name an address that is called of each change of their tasks: `notifyHook`, `callback_url`. */
  taskCallbacks: { option: 'MjNotifyEnabled', group: 'tasks', schema: flag, default: false },
  /** Maximum open tasks of a user; 0: no limit. */
  openTasksPerUser: {
    option: 'OpenTasksPerUser',
    group: 'tasks',
    schema: z.int().min(0).max(10_000),
    default: 100,
  },
  /** Days after their end until tasks are forgotten; 0: never. */
  taskDays: { option: 'TaskDays', group: 'tasks', schema: z.int().min(0).max(3_650), default: 90 },

  /** Source from which clients get artifacts. */
  resultStorage: { option: 'ResultStorage', group: 'tasks', schema: resultStorage, default: 'proxied' },
  /** Pictures in chat answers are kept with them, and their addresses answered. */
  chatPicturesStored: { option: 'ChatImagesStored', group: 'tasks', schema: flag, default: false },
  /** Days for which it is kept; 0: as long as its task, or the account. */
  resultDays: { option: 'ResultDays', group: 'tasks', schema: z.int().min(0).max(3_650), default: 0 },
  /** Maximum megabytes of a stored artifact; larger ones are not stored. */
  resultMaxMegabytes: {
    option: 'ResultMaxMegabytes',
    group: 'tasks',
    schema: z.int().min(1).max(10_000),
    default: 500,
  },
  /** Maximum gigabytes of the folder, from which the oldest artifact is deleted first; 0: no limit. */
  resultTotalGigabytes: {
    option: 'ResultTotalGigabytes',
    group: 'tasks',
    schema: z.int().min(0).max(100_000),
    default: 20,
  },
  /** Endpoint of an S3-compatible service, such as https://s3.eu-central-1.amazonaws.com */
  resultBucketEndpoint: { option: 'ResultS3Endpoint', group: 'tasks', schema: link, default: '' },
  resultBucketRegion: { option: 'ResultS3Region', group: 'tasks', schema: id, default: 'us-east-1' },
  resultBucket: { option: 'ResultS3Bucket', group: 'tasks', schema: bucketName, default: '' },
  resultBucketPrefix: { option: 'ResultS3Prefix', group: 'tasks', schema: bucketPrefix, default: '' },
  /** The bucket stands in the path of addresses; otherwise it is a part of the host's name. */
  resultBucketPathStyle: { option: 'ResultS3PathStyle', group: 'tasks', schema: flag, default: false },
  resultBucketKeyId: { option: 'ResultS3AccessKeyId', group: 'tasks', schema: id, default: '' },
  resultBucketSecret: {
    option: 'ResultS3SecretAccessKey',
    group: 'tasks',
    schema: line,
    default: '',
    secret: true,
  },
} as const;
