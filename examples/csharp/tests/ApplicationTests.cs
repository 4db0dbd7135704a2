// Tests of the application with xUnit. authcli plays the service: it is started here, and ended.
using System.Diagnostics;
using System.Net.Http.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Xunit;

/// <summary>The emulated service and the application, each a process of its own.</summary>
public sealed class BothSides : IDisposable
{
    static readonly string[] authcli = (Environment.GetEnvironmentVariable("AUTHCLI") ?? "authcli").Split(' ');
    // Settings and users of authcli that are only of these tests.
    readonly DirectoryInfo folder = Directory.CreateTempSubdirectory();
    readonly List<Process> processes = new();

    public string Service { get; }
    public string Application { get; }

    public BothSides()
    {
        Service = Listen(Command([.. authcli, "emulate", "service", "--json"]));
        var application = Command(["dotnet", Path.Combine(AppContext.BaseDirectory, "application.dll")]);
        application.Environment["AUTH_URL"] = Service;
        application.Environment["PORT"] = "0";
        Application = Listen(application);
    }

    /// <summary>Runs authcli; its exit status and what it printed.</summary>
    public (int Status, string Printed) Run(params string[] arguments)
    {
        using var process = Process.Start(Command([.. authcli, .. arguments]))!;
        var printed = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, printed);
    }

    /// <summary>Starts a command that prints its address when it listens; returns that address.</summary>
    string Listen(ProcessStartInfo command)
    {
        var process = Process.Start(command)!;
        processes.Add(process);
        while (process.StandardOutput.ReadLine() is { } line)
        {
            var address = Regex.Match(line, @"http://[\d.:]+");
            if (!address.Success) continue;
            process.StandardOutput.ReadToEndAsync(); // so that it can print more
            return address.Value;
        }
        throw new InvalidOperationException($"{command.FileName} did not start");
    }

    ProcessStartInfo Command(string[] command)
    {
        var info = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true };
        info.Environment["AUTHCLI_CONFIG"] = Path.Combine(folder.FullName, "config.json");
        return info;
    }

    public void Dispose()
    {
        foreach (var process in processes)
        {
            process.Kill(entireProcessTree: true);
            process.WaitForExit();
        }
        folder.Delete(recursive: true);
    }
}

public class ApplicationTests(BothSides sides) : IClassFixture<BothSides>
{
    static readonly HttpClient client = new();

    [Fact]
    public void CallbacksConform()
    {
        var (status, printed) = sides.Run("verify", "--url", $"{sides.Application}/callback");
        Assert.True(status == 0, printed);
    }

    [Fact]
    public async Task SignsInWithOneCallToEachEndpoint()
    {
        await SignUp("alice");
        var (status, response) = await SignIn("alice");
        Assert.Equal(200, status);
        Assert.Equal("alice", (string?)response["ptn_cd"]);
        Assert.Equal(new[] { "token 0000", "authenticate 0000" }, await Calls("alice"));
    }

    [Fact]
    public async Task RefusesAnotherPasscode()
    {
        await SignUp("bob");
        await Post($"{sides.Service}/_authcli/faults", new() { ["name"] = "wrong-passcode", ["ptn_cd"] = "bob" });
        var (status, _) = await SignIn("bob");
        Assert.Equal(401, status);
    }

    async Task SignUp(string ptnCd)
    {
        var fields = new JsonObject { ["ptn_cd"] = ptnCd, ["callback_url"] = $"{sides.Application}/callback" };
        var (status, response) = await Post($"{sides.Service}/_authcli/signup", fields);
        Assert.True(status == 200, response.ToJsonString());
    }

    /// <summary>Asks the application to sign the user in, with a token like one of the user's device.</summary>
    async Task<(int Status, JsonNode Response)> SignIn(string ptnCd)
    {
        var (_, token) = await Post($"{sides.Service}/_authcli/ptn-token", new() { ["ptn_cd"] = ptnCd });
        return await Post($"{sides.Application}/sign-in", new() { ["ptn_token"] = (string?)token["ptn_token"] });
    }

    /// <summary>What the service received for the user, and the codes that it responded with.</summary>
    async Task<string[]> Calls(string ptnCd)
    {
        var journal = await client.GetFromJsonAsync<JsonNode>($"{sides.Service}/_authcli/journal?ptn_cd={ptnCd}");
        return journal!["entries"]!.AsArray().Select(call => $"{call!["operation"]} {call["code"]}").ToArray();
    }

    static async Task<(int Status, JsonNode Response)> Post(string url, JsonObject fields)
    {
        using var response = await client.PostAsJsonAsync(url, fields);
        return ((int)response.StatusCode, (await response.Content.ReadFromJsonAsync<JsonNode>())!);
    }
}
