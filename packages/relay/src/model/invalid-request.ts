/** Request that violates its dialect. `message` is safe to show. */
export class InvalidRequest extends Error {
  readonly param: string | undefined;
  constructor(message: string, param?: string) {
    super(message);
    this.name = 'InvalidRequest';
    this.param = param;
  }
}
