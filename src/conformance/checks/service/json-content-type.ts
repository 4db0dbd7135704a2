import { reviewed } from '../../service.ts';
import { jsonContentType as ofProtocol } from '../protocol/json-content-type.ts';

export const jsonContentType = reviewed('service/json-content-type', ofProtocol);
