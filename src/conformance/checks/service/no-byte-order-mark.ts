import { reviewed } from '../../service.ts';
import { noByteOrderMark as ofProtocol } from '../protocol/no-byte-order-mark.ts';

export const noByteOrderMark = reviewed('service/no-byte-order-mark', ofProtocol);
