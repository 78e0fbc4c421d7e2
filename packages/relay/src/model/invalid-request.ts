/** The client's request is not what its dialect allows. `message` is safe to show. */
export class InvalidRequest extends Error {
  readonly param: string | undefined;
  constructor(message: string, param?: string) {
    super(message);
    this.name = 'InvalidRequest';
    this.param = param;
  }
}
