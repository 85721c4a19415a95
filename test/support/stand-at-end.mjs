// Loaded into a service before it starts: once it has taken the signal to end, its event loop stands still for ever.
process.on('SIGTERM', () => {
  setImmediate(function standStill() {
    for (;;);
  })
})
