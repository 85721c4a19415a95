// The project that the demo's tools know: the same that the bundled catalog's environs describe.

export const REFERENCES = {
  CreateOrder: [
    'internal/api/orders.go:42: order, err := service.CreateOrder(ctx, request)',
    'cmd/order-service/main.go:61: router.Post("/orders", api.CreateOrder)',
  ],
  ApplyDiscount: ['internal/api/orders.go:57: price = pricing.ApplyDiscount(price, order.Coupon)'],
  SaveOrder: ['internal/api/orders.go:63: err = storage.SaveOrder(ctx, order)'],
}

export const CALLERS = {
  CreateOrder: ['main.routes'],
  ApplyDiscount: ['api.CreateOrder', 'api.PreviewOrder'],
  SaveOrder: ['api.CreateOrder', 'api.CancelOrder'],
}

export const PASSAGES = [
  { title: 'Errors', text: 'Errors are wrapped with context and handled once, at the edge of the service.' },
  { title: 'Orders', text: 'An order is priced when it is created; later price changes do not touch it.' },
  { title: 'Discounts', text: 'Discounts never add up: the highest one counts.' },
  { title: 'Storage', text: 'Every write of an order happens in one transaction with its event.' },
]

export const ISSUES = [
  { id: 118, component: 'pricing', title: 'Coupon is applied twice when an order is retried' },
  { id: 121, component: 'api', title: 'PreviewOrder answers 500 for an empty cart' },
  { id: 126, component: 'storage', title: 'Events of cancelled orders arrive late' },
]

export const DICTIONARY = {
  计算折扣: 'compute the discount',
  创建订单: 'create the order',
  保存订单: 'save the order',
  返回错误: 'return the error',
  用户: 'user',
  订单: 'order',
  价格: 'price',
  折扣: 'discount',
}
