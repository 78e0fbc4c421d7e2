import { Socket } from 'node:net';

export { AlipaySdk } from 'alipay-sdk';

// The SDK's HTTP client adds this for the whole process. It throws if one error ends two sockets, which is possible.
Reflect.deleteProperty(Socket.prototype, 'destroy');
