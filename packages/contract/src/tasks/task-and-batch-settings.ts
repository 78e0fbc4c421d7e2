import { z } from 'zod';
import { bucketName, bucketPrefix, flag, id, line, link, resultStorage } from '../operations/setting-schemas.ts';

/** Settings of tasks and their artifacts. */
export const taskSettings = {
  /** Allows clients to name a callback URL for status updates of their tasks: `notifyHook`, `callback_url`. */
  taskCallbacks: { option: 'MjNotifyEnabled', group: 'tasks', schema: flag, default: false },
  /** Maximum open tasks of a user; 0: no limit. */
  openTasksPerUser: { option: 'OpenTasksPerUser', group: 'tasks', schema: z.int().min(0).max(10_000), default: 100 },
  /** Days after their end after which tasks are deleted; 0: never. */
  taskDays: { option: 'TaskDays', group: 'tasks', schema: z.int().min(0).max(3_650), default: 90 },

  /** Source from which clients get artifacts. */
  resultStorage: { option: 'ResultStorage', group: 'tasks', schema: resultStorage, default: 'proxied' },
  /** Stores images of chat responses as well, and returns their URLs. */
  chatPicturesStored: { option: 'ChatImagesStored', group: 'tasks', schema: flag, default: false },
  /** Days after which artifacts are deleted; 0: with their task or account. */
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
  /** Puts the bucket into the path of URLs instead of the host name. */
  resultBucketPathStyle: { option: 'ResultS3PathStyle', group: 'tasks', schema: flag, default: false },
  resultBucketKeyId: { option: 'ResultS3AccessKeyId', group: 'tasks', schema: id, default: '' },
  resultBucketSecret: { option: 'ResultS3SecretAccessKey', group: 'tasks', schema: line, default: '', secret: true },
} as const;

/** Settings of batches. */
export const batchSettings = {
  /** Factor of the price of each request in a batch. */
  batchPriceRatio: {
    option: 'BatchPriceRatio',
    group: 'batches',
    schema: z.number().min(0).max(10).multipleOf(0.000_001),
    default: 0.5,
  },
  /** Concurrent requests of a user's batches. */
  batchRequestsPerUser: {
    option: 'BatchRequestsPerUser',
    group: 'batches',
    schema: z.int().min(1).max(100),
    default: 4,
  },
  /** Maximum megabytes of a user's files; 0: no files are accepted. */
  batchMegabytesPerUser: {
    option: 'BatchMegabytesPerUser',
    group: 'batches',
    schema: z.int().min(0).max(1_000_000),
    default: 1_000,
  },
  /** Days after which files and batches are deleted. */
  batchDays: { option: 'BatchDays', group: 'batches', schema: z.int().min(1).max(365), default: 30 },
} as const;
