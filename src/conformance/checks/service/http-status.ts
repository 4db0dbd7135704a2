import { reviewed } from '../../service.ts';
import { httpStatus as ofProtocol } from '../protocol/http-status.ts';

export const httpStatus = reviewed('service/http-status', ofProtocol);
