/** True in `npm run test:slow`, where every row of a long table is tried, and every fault many times. */
export const HAS_TIME = process.env['TAKE_YOUR_TIME'] === '1'
