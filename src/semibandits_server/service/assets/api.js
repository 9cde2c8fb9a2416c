SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#requests",
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
