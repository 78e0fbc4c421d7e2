/** Request that violates its dialect. `message` is safe to show. */
export class InvalidRequestError extends Error {
  readonly param: string | undefined;
  constructor(message: string, param?: string) {
    super(message);
    this.name = 'InvalidRequestError';
    this.param = param;
  }
}
